#include "store/text/function_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace ladder::store {
namespace {

using Set = std::uint32_t;  // a bit per language

// By Language; marks are stripped as in the index.
constexpr std::array<std::string_view, kLanguages> kLists = {
    // English
    "a about after again all also am an and any are as at be because been before being between both but by can could did do does "
    "doing done don down during each either else ever few for from further get give given had has have having he her here hers "
    "him his how i if in into is it its itself just know let ll many may me might mine more most much must my no nor not now of "
    "off on once one only or other our ours out over own please re s same shall she should since so some such t tell than that "
    "the their them then there these they this those through to too under until up upon us used using ve very was we were what "
    "when where whether which while who whom whose why will with would you your yours",
    // German
    "aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da damit dann das dass "
    "dein deine dem den denn der des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem "
    "einen einer eines er es etwas euch euer fur gab gibt habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem "
    "ihren ihrer im in ins ist ja jede jeder jedes jetzt kann kein keine keinen konnen konnte man mein meine meinem meinen "
    "meiner "
    "mich mir mit muss nach nicht noch nun nur ob oder ohne schon sehr sein seine seinen seit sich sie sind so soll sollte "
    "uber um und uns unser unsere unter viel vom von vor wann war waren warum was wegen weil welche welchem welchen welcher "
    "welches wem wen wenn wer werden wie wieder wieviel wir wird wo wohin wurde wurden zu zum zur zwischen",
    // French
    "a ai alors apres au aucun aussi autre aux avant avec avez avoir avons c ce cela ces cet cette ceux chez ci comme comment d "
    "dans de depuis des donc dont du elle elles en encore entre est et etait etaient ete etes etre eu eux fait fut il ils j je l "
    "la le les leur leurs lui m ma mais me meme mes moi mon n ne ni nos notre nous on ont ou par parce pas pendant peu peut plus "
    "pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si son sont sous suis sur t ta te tes "
    "toi ton tous tout toute toutes tres tu un une va vos votre vous y",
    // Spanish
    "a al algo algun alguna ante antes aquel asi aun aunque cada como con contra cual cuales cuando cuanto de del desde donde "
    "dos el ella ellas ellos en entre era eran es esa ese eso esta estaba estan estar este esto estos fue fueron ha habia han "
    "hasta hay la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero por porque que "
    "quien "
    "quienes se sea ser si sido sin sobre son su sus tambien tanto te tenia tiene tienen todo todos tu tus un una uno unos usted "
    "y ya yo",
    // Italian
    "a ad agli ai al alla alle allo anche ancora aveva c che chi ci ciascuno coi col come con cosa cui da dagli dai dal dalla "
    "dalle degli dei del della delle dello di dopo dove e ed era erano essere fra fu gia gli ha hanno ho i il in io l la le lei "
    "li lo loro lui ma mi mia mie miei mio molto ne negli nei nel nella nelle noi non nostra nostro o ogni per perche piu poi "
    "puo quale quali quando quanto quella quelle quelli quello questa queste questi questo qui sei senza si sia siamo sono sta "
    "stato su sua sue sugli sui sul sulla suo suoi ti tra tu tua tuo tutti tutto un una uno vi voi",
    // Portuguese
    "a ao aos aquela aquele as ate com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta estao "
    "estava este eu foi foram ha isso isto ja lhe mais mas me mesmo meu meus minha muito na nao nas nem no nos nossa nosso num "
    "numa o onde os ou para pela pelo pelos por porque qual quais quando quanto que quem sao se sem ser seu seus so sobre sua "
    "suas tambem te tem tinha tu um uma umas uns voce voces",
    // Dutch
    "aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen haar had "
    "heb hebben heeft hem het hier hij hoe hun iemand iets ik in is ja je kan kon maar me meer men met mij mijn moet na naar "
    "niet "
    "niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor waar waarom wanneer want "
    "waren was wat we wel welke werd wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou",
    // Swedish
    "alla allt an andra att av blev bli blir da dar de dem den denna deras dess dessa det detta dig din du efter ej eller en er "
    "ett for fran ha hade han har har hela henne hennes hon honom hur i icke inga ingen inom inte jag kan kunde man med mellan "
    "men mig min mitt mot mycket nagon nagot nar ni nu och om oss pa sa samma sedan sig sin sina som till under upp ut utan vad "
    "var vara varfor vem vi vid vilka vilken vilket",
    // Danish
    "ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end "
    "er "
    "et for fra ham han hans har havde hende her hos hun hvad hvem hvilken hvis hvor hvorfor hvornar i ikke ind jeg jer kan "
    "kunne man mange med meget men mig min mine mit mod ned noget nogle nu nar og ogsa om op os over pa selv sig sin skal skulle "
    "som sadan til ud under var vi vil ville vor være",
    // Norwegian
    "alle at av ble blir da de deg dei dem den denne der dere deres det dette di din du eg ein eller en enn er et etter for fra "
    "fordi ha hadde han hans har henne her hun hva hvem hvilken hvis hvor hvordan hvorfor i ikke inn jeg kan kunne man mange med "
    "meg meget mellom men min mitt mot ned noe noen na nar og ogsa om opp oss over pa seg selv si sin skal skulle som sa til ut "
    "uten var vi vil ville vare",
    // Finnish
    "ei ehka eika ela ellei en entta eivat etta ha han hanen he heidan hei itse ja jo joka jonka jos jossa jota kanssa keta kuin "
    "kuinka kuka kun me meidan mika miksi mina minka missa mita milloin mutta myos ne niin nyt oli olen olet olimme olivat olla "
    "olleet ollut on ovat se sen siella sita sina sinun tai tama tassa tata te teidan tuo vai vain vaikka vuoksi",
    // Turkish
    "acaba ama ancak artık aslında az bana bazı belki ben benim bile bir biri biz bizim bu buna bunlar bunu bunun burada cok "
    "cunku da daha de degil diye en gibi hangi hem hep her hic icin ile ise kac kadar ki kim kimde kime kimi kimin mi mı mu ne "
    "neden nereden nereye nerede neye nasıl nin nın nun niye o olan olarak oldu olur on ona onlar onu onun sanki sen siz su sey "
    "tum var ve veya ya yani yok zaman zaten",
    // Russian
    "а без более бы был была были было быть в вам вас вот все всего всех вы где да даже для до его ее если есть еще же за здесь "
    "и из или им их к как какая какие какой когда кто ли либо мне может мы на над надо наш не него нее нет ни них но ну о об "
    "однако он она они оно от очень по под при с со так также такои там те тем то того тоже тои только том ты у уже хотя чего "
    "чеи "
    "чем что чтобы чье чья эта эти это этого этои этом этот я"};

const std::unordered_map<std::string_view, Set>& table() {
  static const auto made = [] {
    std::unordered_map<std::string_view, Set> sets;
    for (std::size_t language = 0; language < kLanguages; ++language) {
      for (std::string_view rest = kLists[language]; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        sets[word] |= Set{1} << language;
      }
    }
    return sets;
  }();
  return made;
}

Set languages_of(std::string_view word) {
  const auto found = table().find(word);
  return found == table().end() ? 0 : found->second;
}

}  // namespace

bool is_function_word(Language language, std::string_view folded_word) {
  return (languages_of(folded_word) >> static_cast<unsigned>(language) & 1) != 0;
}

std::optional<Language> language_of_words(std::span<const std::string_view> folded_words, int turkish) {
  std::array<int, kLanguages> counts{};
  counts[static_cast<std::size_t>(Language::kTurkish)] = turkish;
  for (const std::string_view word : folded_words) {
    const Set in = languages_of(word);
    for (std::size_t language = 0; language < kLanguages; ++language) counts[language] += static_cast<int>(in >> language & 1);
  }
  const auto best = std::ranges::max_element(counts);  // the first of equals
  if (*best == 0) return std::nullopt;
  return static_cast<Language>(best - counts.begin());
}

}  // namespace ladder::store
