#include "text/forms/irregular_forms.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ladder::text {
namespace {

struct Irregular {
  Language language;
  std::string_view groups;  // forms separated by spaces, words by commas; folded as in the index
};

// Only common words, and forms that the language's rules miss. A form after a slash is more often another word ("rose",
// "saw"): the others find it, but it does not find them.
constexpr std::array kIrregular = {
    Irregular{
        Language::kEnglish,
        "buy buys buying bought,pay pays paying paid,sell sells selling sold,send sends sending sent,"
        "bring brings bringing brought,think thinks thinking thought,teach teaches teaching taught,catch catches catching "
        "caught,seek seeks sought,fight fights fighting fought,find finds finding /found,go goes going went gone,come comes "
        "coming came,become becomes becoming became,see sees seeing seen /saw,eat eats eating eaten ate,drink drinks drinking "
        "drank drunk,write writes writing wrote written,drive drives driving drove driven,ride rides riding rode ridden,"
        "fly flies flying flew flown,take takes taking took taken,speak speaks speaking spoke spoken,break breaks breaking "
        "broke broken,choose chooses choosing chose chosen,steal steals stealing stole stolen,wake wakes waking woke woken,"
        "forget forgets forgetting forgot forgotten,hide hides hiding hid hidden,begin begins beginning began begun,"
        "swim swims swimming swam swum,sing sings singing sang sung,ring rings ringing rang /rung,run runs running ran,"
        "sit sits sitting /sat,meet meets met /meeting,keep keeps keeping kept,sleep sleeps sleeping slept,leave leaving "
        "/left,lose loses losing lost,lend lends lending lent,spend spends spending spent,build builds built "
        "/building,feel feels feeling /felt,hold holds holding held,hear hears hearing heard,tell tells telling told,say says "
        "saying said,make makes making made,stand stands standing stood,understand understands understanding understood,"
        "win wins winning /won,wear wears wearing wore worn,tear tears tearing tore torn,grow grows growing grew grown,know "
        "knows knowing knew known,throw throws throwing threw thrown,draw draws drew drawn /drawing,fall falls falling fell "
        "fallen,give gives giving gave given,shake shakes shaking shook shaken,rise rises rising risen /rose,lead leads "
        "leading /led,feed feeds feeding /fed,shoot shoots shooting /shot,sweep sweeps sweeping swept,hang hangs hanging hung,"
        "stick sticks sticking stuck,dig digs digging dug,freeze freezes freezing froze frozen,bite bites biting /bit bitten,"
        "bear bears bearing /bore /born,deal deals dealing dealt,mean means meant /meaning,get gets getting got gotten,"
        "mouse mice,child children,foot feet,tooth teeth,man men,woman women,"
        "goose geese,person people persons,wife wives,knife knives,life lives,leaf leaves,half halves,shelf shelves,"
        "loaf loaves,wolf wolves,thief thieves,scarf scarves,"
        "analysis analyses,diagnosis diagnoses,criterion criteria"},
    Irregular{
        Language::kGerman,
        "kommen komme kommst kommt kam kamen gekommen,gehen gehe gehst geht ging gingen gegangen,nehmen nehme nimmst nimmt "
        "nahm nahmen genommen,geben gebe gibst gibt gab gaben gegeben,sehen sehe siehst sieht /sah sahen gesehen,essen esse "
        "isst /ass gegessen,trinken trinkt trank getrunken,schreiben schreibt schrieb schrieben geschrieben,"
        "lesen liest /las gelesen,sprechen spricht sprach gesprochen,treffen trifft traf trafen getroffen,fahren fahrt fuhr "
        "fuhren gefahren,tragen tragt trug getragen,schlafen schlaft schlief geschlafen,finden findet fand fanden gefunden,"
        "bringen bringt brachte brachten gebracht,denken denkt dachte gedacht,kennen kennt kannte gekannt,wissen weiss "
        "wusste gewusst,stehen steht /stand standen gestanden,liegen liegt /lag lagen gelegen,sitzen sitzt sass gesessen,"
        "bleiben bleibt blieb geblieben,rufen ruft /rief gerufen,anrufen angerufen,laufen lauft /lief gelaufen,helfen hilft "
        "/half geholfen,verlieren verliert verlor verloren,vergessen vergisst vergass,leihen leiht lieh geliehen,"
        "ausleihen ausgeliehen,verleihen verleiht verlieh verliehen,fliegen fliegt flog geflogen,schneiden schneidet schnitt "
        "geschnitten,brechen bricht brach gebrochen,werfen wirft warf geworfen,beginnen beginnt begann begonnen,gewinnen "
        "gewinnt gewann gewonnen,ziehen zieht zog gezogen,umziehen umgezogen,bekommen bekommt bekam bekamen,"
        "kaufen gekauft,zahlen gezahlt,bezahlen bezahlt,mieten gemietet,buchen gebucht,bestellen bestellt,"
        "machen gemacht,holen geholt,abholen abgeholt,sagen gesagt,suchen gesucht,legen gelegt,stellen gestellt,"
        "kochen gekocht,arbeiten gearbeitet,spielen gespielt,zahn zahne zahnen"},
    Irregular{
        Language::kFrench,
        "aller vais /vas /va allons allez vont /alle allee /alles iras ira,venir viens vient viennent venu venue venus,"
        "prendre prends prend prennent /pris /prise prenez,voir vois voit voient /vu /vue /vus,payer /paie paies paient paye "
        "payee "
        "payes,acheter achete achetes achetee,faire fais fait /font faite faites,dire /dis /dit disent dite,mettre mets /met "
        "/mis "
        "/mise,ecrire ecris ecrit ecrite ecrivent,lire /lis /lit /lu /lue,boire /bois boit /bu,devoir dois doit doivent /du /due,"
        "pouvoir peux peut /pu,vouloir veux veut voulu,savoir sais sait /su,recevoir recois recoit recu recue recus,"
        "rendre rends rend rendu rendue,perdre perds perd perdu perdue,vendre vends vend vendu vendue,"
        "ouvrir ouvre ouvert ouverte,offrir offre offert,tenir tiens tient tenu,oeil œil yeux,travail travaux,"
        "cheval chevaux,journal journaux,animal animaux,hopital hopitaux"},
    Irregular{
        Language::kSpanish,
        "ir voy /vas /va vamos /van /iba /fui /fue fuimos fueron /ido,venir vengo viene vienen /vino vinieron venido,hacer hago "
        "hace "
        "hacen hizo hicieron hecho hecha,decir /digo /dice dicen dijo dijeron dicho,poner pongo pone ponen puso pusieron "
        "puesto puesta,tener tengo tiene tienen tuvo tuvieron tenido,ver veo /ve /ven vio vieron visto vista,dar /doy /da /dan "
        "dio dieron /dado,traer traigo trae traen trajo traido,saber /se sabe supo sabido,salir salgo /sale /salen salio,"
        "pedir pido pide piden pidio pedido,dormir duermo duerme duermen durmio dormido,volver vuelvo vuelve vuelven vuelto "
        "volvio,encontrar encuentro encuentra encuentran encontrado,empezar empiezo empieza empiezan empezado,costar cuesta "
        "cuestan /costo costado,perder pierdo pierde pierden perdido,cerrar cierro cierra cierran cerrado,"
        "pagar pago paga pagan pague pagado,escribir escribe escrito escrita,romper rompe /roto /rota,abrir abre abierto "
        "abierta,morir muere murio muerto muerta,jugar juego juega juegan jugado"},
    Irregular{
        Language::kItalian,
        "andare vado vai va andiamo vanno andato,venire vengo viene vengono venuto venne,fare faccio fa fanno fatto fatta,"
        "dire dico dice dicono detto,prendere prendo prende preso presa presi,mettere metto mette messo messa,vedere vedo "
        "vede visto vista,scrivere scrive scritto scritta,leggere legge letto letta,chiedere chiede chiesto,rispondere "
        "risponde risposto,chiudere chiude chiuso chiusa,aprire apre aperto aperta,perdere perde perso persa,spendere spende "
        "speso spesa,rompere rompe rotto rotta,bere bevo beve bevuto,uscire esco esce escono uscito,uomo uomini,uovo uova,"
        "dito dita,mano mani"},
    Irregular{
        Language::kPortuguese,
        "ir vou vai vamos vao ia fui foi foram,vir venho vem vieram veio,fazer faco faz fazem fez fizeram feito feita,dizer "
        "digo diz disse disseram dito,por ponho poe pos posto posta,ter tenho tem teve tiveram,ver vejo ve viu viram visto "
        "vista,dar dou da deu deram dado,trazer trago traz trouxe,pagar pago paga paguei pagou pagos,ganhar ganho ganha,"
        "perder perco perde perdi,pedir peco pede pediu,escrever escreve escrito escrita,abrir abre aberto aberta,"
        "mao maos,pao paes,cao caes"},
    Irregular{
        Language::kDutch,
        "kopen koop koopt kocht kochten gekocht,betalen betaal betaalt betaalde betaald,komen kom komt kwam kwamen gekomen,"
        "gaan ga gaat ging gingen gegaan,nemen neem neemt nam namen genomen,geven geef geeft gaf gaven gegeven,zien zie ziet "
        "zag zagen gezien,eten eet at aten gegeten,drinken drinkt dronk gedronken,schrijven schrijft schreef geschreven,"
        "lezen leest las gelezen,spreken spreekt sprak gesproken,rijden rijdt reed gereden,vinden vindt vond vonden gevonden,"
        "brengen brengt bracht gebracht,denken denkt dacht gedacht,slapen slaapt sliep geslapen,lenen leent leende geleend,"
        "huren huurt huurde gehuurd,boeken boekt boekte geboekt,verliezen verliest verloor verloren,vergeten vergeet "
        "vergat,huis huizen,kind kinderen,stad steden,ei eieren,schip schepen,brief brieven,brood broden,boom bomen"},
    Irregular{Language::kSwedish,
              "ga gar gick gatt,komma kommer kom kommit,ta tar tog tagit,ge ger gav gett,se ser sag sett,ata ater at atit,"
              "skriva skriver skrev skrivit,dricka dricker drack druckit,saga sager sade sa sagt,salja saljer salde salt,"
              "kopa koper kopte kopt,barn barnen,man man mannen,fot fotter,hand hander handerna,bok bocker bockerna,tand tander,"
              "natt natter,stad stader,son soner,dotter dottrar,bror broder"},
    Irregular{
        Language::kDanish,
        "ga gar gik gaet,komme kommer kom kommet,tage tager tog taget,give giver gav givet,se ser sa set,spise spiser spiste "
        "spist,skrive skriver skrev skrevet,købe køber købte købt,sige siger sagde sagt,sælge sælger solgte solgt,"
        "barn børn børnene,mand mænd,fod fødder,hand hænder,bog bøger,tand tænder,nat nætter,by byer"},
    Irregular{Language::kNorwegian,
              "ga gar gikk gatt,komme kommer kom kommet,ta tar tok tatt,gi gir ga gitt,se ser sa sett,spise spiser spiste spist,"
              "skrive skriver skrev skrevet,kjøpe kjøper kjøpte kjøpt,si sier sa sagt,selge selger solgte solgt,barn barna,"
              "mann menn,fot føtter,hand hender,bok bøker,tann tenner,natt netter,by byer"},
    Irregular{Language::kFinnish,
              "kasi kaden kadessa kadesta katta kateen kadet kasia kasissa,vesi veden vedessa vetta veteen,mies miehen miehella "
              "miehet miesta,lapsi lapsen lasta lapset lapsia lapsille lasten,yo yon yota yolla oita,tyo tyon tyota tyossa toita "
              "toissa,paiva paivan paivaa paivalla paivat paivia,kuukausi kuukauden kuukautta kuukaudessa kuukaudet,joki joen "
              "jokea joella,menna menen menee menin meni mennyt,tulla tulen tulee tulin tuli tullut,tehda teen tekee tein teki "
              "tehnyt,nahda naen nakee naen naki nahnyt,ostaa ostan osti ostin ostanut,maksaa maksan maksoi maksoin maksanut"},
    Irregular{
        Language::kRussian,
        "день дня дню днем дне дни днеи дням днями днях,сон сна сну сном сне сны снов снах,пес пса псу псом псе псы псов псам,"
        "лев льва льву львом львы,рот рта рту ртом,лоб лба лбу лбом,лед льда льду льдом,лен льна,мать матери матерью матереи,"
        "дочь дочери дочерью дочереи дочерям,время времени временем времена времен,имя имени именем имена имен,"
        "человек люди людеи людям людьми людях,ребенок ребенка дети детеи детям детьми детях,год года году годом годы лет годах,"
        "брат братья братьев братьям,друг друзья друзеи друзьям друзьями,сын сыновья сыновеи,"
        "идти иду идет идем идут шел шла шли поити поиду поидет пошел пошла,ехать еду едет едем едут ехал поехать поехал,"
        "купить куплю купит купил купила купили покупать покупаю покупал,платить плачу платит платил заплатить заплатил "
        "заплатила "
        "заплачу,взять возьму возьмет взял взяла взяли брать беру берет брал,сказать скажу скажет сказал сказала говорить "
        "говорил,писать пишу пишет писал написать написал написала напишу,наити наиду наидет нашел нашла нашли,"
        "приити приду придет пришел пришла пришли,дать дам даст дал дала дали дадут,"
        "деньги денег деньгам деньгами деньгах"},
    Irregular{
        Language::kUkrainian,
        "день дня дню днем дні днів дням днями днях,пес пса псу псом пси псів,сон сна сну сном сни снів,ніч ночі ніччю ночеи "
        "ночами,піч печі піччю печеи,мати матері матірю матереи,людина люди людеи людям людьми,дитина діти дітеи дітям дітьми,"
        "друг друга друзі друзів друзям,рік року роки років році,час часу часом часи,вухо вуха вух,око очі очеи очима,"
        "іти ити иду иде идуть ишов ишла ишли піти пішов пішла,іхати іду іде ідемо ідуть іхав поіхати поіхав,"
        "купити куплю купив купила купили купувати,платити плачу платив заплатити заплатив заплатила,взяти візьму візьме взяв "
        "взяла взяли брати беру,знаити знаиду знаишов знаишла"},
    Irregular{
        Language::kPolish,
        "pies psa psu psem psie psy psow psom psami,dzien dnia dniu dniem dni dniach dniom dniami,tydzien tygodnia tygodniu "
        "tygodniem tygodnie tygodni tygodniach,sen snu snem snie sny snow,reka reki rece rak rekami rekach,swieto swieta swiat "
        "swietami swietach,miasto miasta miescie miast miastach,swiatło swietle,ciasto ciescie,gwiazda gwiezdzie,las lesie,"
        "brat bracia braci,ksiadz ksieza ksiedza,przyjaciel przyjaciele przyjacioł przyjaciołom,ksiazka ksiazek,oko oczy oczu "
        "oczami,ucho uszy uszu,dziecko dzieci dzieciom dziecmi dzieciach,człowiek ludzie ludzi ludziom ludzmi,rok lata lat "
        "roku latach,dab debu debie deby,zab zeba zeby zebow zebie,maz meza mezowie mezem,"
        "isc ide idzie idziemy ida szedł szła szli poszedł poszła,jechac jade jedzie jedziemy jada jechał pojechał,kupic kupie "
        "kupił kupiła kupilismy kupowac kupuje,płacic płace płaci płacił zapłacic zapłaciłem zapłaciłam zapłacił zapłacone,"
        "wziac wezme wezmie wział wzieła biore brac,niesc niesie niosł,znalezc znajde znalazł znalazła"},
    Irregular{
        Language::kCzech,
        "pes psa psu psem psi psy psum psech,den dne dni dnu dnem dny dnech,tyden tydne tydnu tydnem tydny,sen snu snem sny,"
        "dum domu dome domem domy domech,kun kone koni konem konim,stul stolu stole stolem stoly,nuz noze nozem,vuz vozu vozem,"
        "pritel pratele pratel pratelum,oko oci ocich ocima,ucho usi,ruka rukou ruce rukama rukach,noha nohou noze nohama,"
        "dite deti detem detmi detech,clovek lide lidi lidem lidmi,rok roku let lety letech,otec otce otci otcem,matka matce,"
        "jit jdu jde jdeme jdou sel sla sli pujdu pujde,jet jedu jede jedeme jedou jel jela pojedeme pojedu,koupit koupil "
        "koupila koupime kupovat,platit platim plati platil zaplatit zaplatil zaplatila,vzit vezmu vezme vzal vzala brat beru"},
    Irregular{
        Language::kSlovak,
        "pes psa psovi psom psy psov,den dna dni dnu dnom dnoch,tyzden tyzdna tyzdne,stol stola stole stolom stoly,"
        "dieta deti detom detmi,clovek ludia ludi ludom,rok roku rokov,otec otca otcovi,oko oci,ucho usi,kupit kupil kupila "
        "kupovat,platit plati platil zaplatit zaplatil,ist ide idem isiel isla isli,vziat vezmem vzal vzala"},
    Irregular{
        Language::kCroatian,
        "pas psa psu psi pse psima,dan dana danu dani dane danima,san sna snu snovi,otac oca ocu ocem ocevi,posao posla poslu "
        "poslom poslovi,dijete djeteta djeca djece djeci djecu,dete deteta deca dece deci decu,covjek covjeka ljudi "
        "ljudima,covek "
        "coveka ljudi ljudima,oko oci ociju ocima,uho usi usiju,brat braca brace,ici idem ide idu isao isla isli,kupiti kupio "
        "kupila kupili kupovati,platiti platim plati platio platila,uzeti uzmem uzeo uzela"},
    Irregular{
        Language::kSerbian,
        "пас пса псу пси псе псима,дан дана дану дани дане данима,сан сна сну снови,отац оца оцу оцем очеви,посао посла послу "
        "послом послови,дете детета деца деце деци децу,човек човека људи људима,око очи очију очима,брат браћа браће,"
        "ићи идем иде иду ишао ишла ишли,купити купио купила купили куповати,платити платим плати платио платила,"
        "узети узмем узео узела"},
    Irregular{
        Language::kSlovenian,
        "pes psa psu psi pse psom,dan dneva dni dnevu dnevi dnem,otrok otroka otroci otroke otrokom,clovek cloveka ljudje ljudi "
        "ljudem,oko oci,uho usesa,oce oceta ocetu,hci hcere hceri,kolo kolesa kolesu kolesi,telo telesa telesu,drevo drevesa "
        "drevesu,pero peresa peresu,mati matere,iti grem gre gremo gredo sel sla sli,kupiti kupil "
        "kupila kupili kupovati,placati placam placa placal placala placali"},
    Irregular{
        Language::kBulgarian,
        "човек човека хора хората,дете детето деца децата,ден денят дни дните деня,сън съня сънища,брат братя братята,"
        "пес псета,око очи очите,ухо уши ушите,ръка ръце ръцете ръката,крак крака краката,купя купи купих купихме купил купува "
        "купувам,платя плати платих платихме платил плаща плащам,взема взех взел взима,отида отидох отишъл отива ходя"},
    Irregular{
        Language::kEstonian,
        "voti votme votmed votit votmega votmeid,kasi kae kaed kaes katt katte,vesi vee vees vett,uus uue uued uut,tuba toa "
        "tubade "
        "toas tuppa,laps lapse lapsed last lapsi laste,mees mehe mehed meest,naine naise naised naist,aeg aja ajad aega ajal,"
        "hammas hamba hambad hammast,minna lahen laheb laks lainud laheme,tulla tulen tuleb tuli tulnud,osta ostan ostis ostsin "
        "ostnud,maksta maksan maksis maksin maksnud,raamat raamatu raamatud,sober sobra sobrad sopra"},
    Irregular{Language::kLatvian,
              "iet eju iet gaju gaja gajis,pirkt perku perk pirku pirka nopirkt nopirku nopirka,maksat maksaju maksaja samaksat "
              "samaksaju "
              "samaksaja,nemt nemu nem nemu nema panemt panemu panema,suns suna suni,diena dienas dienu dienai,cilveks cilveki "
              "cilveku"},
    Irregular{
        Language::kLithuanian,
        "zmogus zmogaus zmones zmoniu zmonems,suo suns suni sunys sunu,vanduo vandens vandeni,akmuo akmens,sesuo sesers seseri "
        "seserys,moketi moku moka mokejo mokejau apmoketi sumoketi,pirkti perku perka pirko pirkau nupirkti nupirko nupirkau,"
        "imti imu ima eme emiau,eiti einu eina ejo ejau,duoti duodu dave daviau"},
    Irregular{
        Language::kIrish,
        "eochair eochrach eochracha heochracha,teach tithe ti dti thigh,bean mna mban mhna,la lae laethanta,cathair cathrach "
        "cathracha gcathair chathair,deoch di deochanna,athair athar,mathair mathar,teigh teann chuaigh rachaidh dul,tar tagann "
        "thainig tiocfaidh teacht,ceannaigh cheannaigh ceannach,ioc iocann iocaim iocfaidh hioc,faigh fuair faighim faighidh,"
        "feic chonaic feicim feicfidh,tog thog togann"},
    Irregular{
        Language::kArmenian,
        "տուն տան տանը տներ տները տնից տանից,գիրք գրքի գիրքը գրքեր գրքերը գրքերի,օր օրվա օրը օրեր օրերը,տարի տարվա տարին տարիներ,"
        "ջուր ջրի ջուրը ջրից,քույր քրոջ քույրը,եղբայր եղբոր եղբայրը,հայր հոր հայրը,մայր մոր մայրը,մարդ մարդու մարդիկ մարդկանց,"
        "երեխա երեխայի երեխաներ երեխաները"},
    Irregular{Language::kYiddish,
              "בוך ביכער,הויז הייזער,טאג טעג,מאן מענער,פרוי פרויען,קינד קינדער,האנט הענט,פוס פיס,צאן ציין,שטאט שטעט,נאכט נעכט,"
              "קויפן קויפט געקויפט,צאלן צאלט באצאלט באצאלן געצאלט,נעמען נעמט גענומען,גיין גייט געגאנגען,קומען קומט געקומען,"
              "פארן פארט געפארן,געבן גיט געגעבן,שרייבן שרייבט געשריבן,עסן עסט געגעסן"},
};

using Groups = std::unordered_map<std::string_view, std::string_view>;  // maps a form to its group, with spaces between the forms

const Groups& groups_of(Language language) {
  static const std::array<Groups, kLanguages> made = [] {
    std::array<Groups, kLanguages> all;
    for (const Irregular& each : kIrregular) {
      Groups& groups = all[static_cast<std::size_t>(each.language)];
      for (std::string_view rest = each.groups; !rest.empty();) {
        const std::string_view group = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), group.size() + 1));
        for (std::string_view forms = group; !forms.empty();) {
          const std::string_view form = forms.substr(0, forms.find(' '));
          forms.remove_prefix(std::min(forms.size(), form.size() + 1));
          if (!form.starts_with('/')) groups.emplace(form, group);
        }
      }
    }
    return all;
  }();
  return made[static_cast<std::size_t>(language)];
}

}  // namespace

std::vector<std::string> irregular_forms(std::string_view word, Language language) {
  const Groups& groups = groups_of(language);
  const auto found = groups.find(word);
  std::vector<std::string> forms;
  if (found == groups.end()) return forms;
  for (std::string_view rest = found->second; !rest.empty();) {
    std::string_view form = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), form.size() + 1));
    if (form.starts_with('/')) form.remove_prefix(1);
    if (form != word && std::ranges::find(forms, form) == forms.end()) forms.emplace_back(form);
  }
  return forms;
}

std::vector<std::string> known_irregular_forms(Language language) {
  std::vector<std::string> all;
  for (const auto& [form, group] : groups_of(language)) all.emplace_back(form);
  return all;
}

}  // namespace ladder::text
