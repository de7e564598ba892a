#include "store/text/forms/function_words.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

namespace ladder::store {
namespace {

using Set = std::uint64_t;  // a bit per language

// Indexed by Language; diacritics are stripped as in the index.
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
    "ei ehka eika ela ellei kauanko kenelle kenella kenelta en entta eivat etta ha han hanen he heidan hei itse ja jo joka jonka "
    "jos jossa jota kanssa keta kuin "
    "kuinka kuka kun me meidan mihin mika miksi mina minka missa mista mita milloin minne montako mutta myos ne niin nyt oli "
    "olen olet olimme olivat olla "
    "olleet ollut on onko ovat paljonko se sen siella sielta sinne sita sina sinun taalla tai tama tassa tata te teidan tuo vai "
    "vain vaikka vuoksi",
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
    "чем что чтобы чье чья эта эти это этого этои этом этот я",
    // Polish
    "a aby albo ale bedzie beda bez bo byc był była było były ci co czy czyli dla do gdy gdzie go i ich ile im ja jak jaka jaki "
    "jakie "
    "jakim je jego jej jest jestem jeszcze juz kiedy kim kto ktora ktore ktorej ktory ktorym ma mam mi mnie moj moja moje "
    "mojego mojej moze my na nad nam nas nasz nie nim o od on ona one oni oraz po pod przed przez przy sa sie sobie ta tak "
    "tam te tego tej ten to tu ty tylko tym u w we z za ze",
    // Czech
    "a aby ale ani asi az bude budeme budou budu by bych byl byla byli bylo byt ci co coz do ho i ja jak jaka jake jako jaky je "
    "jeho jeji jejich jen "
    "jeste jsem jsi jsme jsou k kam kde kdo kdy kdyz ktera ktere ktery ma mam mame me mi mne moje mu muj my na nad nam nas "
    "ne nebo nez nic od on ona oni po pod podle pred pri pro proc s se si svuj ta tak take tam tedy ten tento to toho tu ty "
    "u uz v ve vsak z za ze",
    // Hungarian
    "a abban ahol aki akik akkor ami amikor az azok azt be csak de egy el en es ez ezek ezt fel ha hany hogy hogyan hol "
    "honnan hova igen is itt kell ki kik le lesz meddig meg mely melyik mennyi mert mi miert mikor milyen mint mit most "
    "nagyon ne nekem neki nem nincs ok ott pedig s sem szerint te ugy vagy van vannak volt voltak",
    // Romanian
    "a acea aceasta acest acesta aceste acestea ai al ale am are as au avea ca cand care catre ce cea cei cel cele cine cu "
    "cum da dar de din dupa ea ei el ele era este eu face fi fie fost iar ii il imi in intre la lui mai mea mei mele meu mi "
    "ne nici noi nostru nu o or pe pentru prin sa sau se si spre sub sunt te tu un una unde unei unor unui va voi",
    // Ukrainian
    "а або але без би був була були було бути в вам вас ви вона вони воно все всі він де для до же з за зі и иого ким кого "
    "коли котрии куди мене мені ми моя моє моі міи на над наш не нема ні о об от по при про під та так там те ти то тобі "
    "того тои ту тільки у хто це цеи ця ці чи чим чого чому що щоб я як яка яке якии якого які якіи є і із іх іі",
    // Greek
    "απο αυτη αυτο αυτοσ για δεν εγω ειναι ειχα ειχε εμεισ ενα ενασ εσυ εχει εχω η ηταν θα και καποιοσ κι μα μασ με μετα "
    "μια μου να ο οι οπωσ οταν οτι ποια ποιο ποιον ποιοσ ποσα ποσο ποτε που πριν προσ πωσ σασ σε σου στα στη στην στισ στο "
    "στον στουσ τα την τησ τι τισ το τον του τουσ των ωσ",
    // Hebrew
    "אבל או אולי אותה אותו אותי אז אחרי איזה איזו איך אילו אין איפה אל אלה אם אנחנו אני את אתה אתם בין בלי גם הוא היא היה "
    "היו הייתה הם זאת זה זו יש כבר כי כל כמה כמו כן לא לאן לה להם לו לי לך למה לנו מאיפה מה מי מתי עד על עם רק של שלה שלו "
    "שלי שלך שלנו תחת",
    // Arabic
    "اذا التي الذي الذين الى ان انا انت او اي اية اين بعد بين ثم حتى حول خلال ذلك على عن عند عندما غير في فيه قبل قد كان "
    "كانت كل كم كما كيف لا لقد لكن لم لماذا لن له لها لي ما ماذا متى مع من منذ منه منها نحن هذا هذه هل هم هنا هناك هو هي و "
    "واين وكم ولم ومتى ومن يا",
    // Korean
    "가장 같은 거기 것 것은 것을 것이 그 그것 그녀 그는 그리고 나 나는 나의 내 내가 너 너는 네 누가 누구 누구의 다 다른 더 또 "
    "또는 무슨 무엇 무엇을 무엇이 무엇인가요 뭐 뭐야 뭐예요 뭐지 및 번째 수 아니 "
    "아주 어느 어디 어디로 어디서 어디야 어디에 어떤 어떻게 언제 언제야 얼마 얼마나 얼마야 여기 왜 우리 우리는 우리의 이 이것 "
    "있나요 있는 있다 있습니까 있습니다 있어 있어요 있었나요 저 저는 저의 제 제가 좀 "
    "하지만 했나요 했지",
    // Hindi
    "अपना आप इस इसका उस उसने एक और कब कर कहाँ कहां का कि कितना कितनी कितने किस किसका किसने की के कैसे को कौन कौनसा क्या "
    "क्यों गया जो तक तुम तो था थी थे नहीं ने पर भी में मेरा मेरी मेरे मैं मैंने यह ये रहा रही रहे लिए वह वे साथ से हम हमारा "
    "हमारी ही हूँ हूं है हैं हो होगा",
    // Catalan
    "a aixo al als amb aquell aquella aquest aquesta aquestes aquests cada d de del dels des el ella elles ells em en ens "
    "era es esta estan et fa ha han he hem hi ho i jo l la les li m mes meu meus meva molt n ni no nosaltres o on per pero "
    "perque qual quan quant quanta quantes quants que qui quin quina quines quins s ser si sobre soc son t tambe te tenen "
    "tenim tinc tot tots un una uns va vaig vam",
    // Basque
    "doa doaz goaz noa al ari asko baina baino bat batean batek behar bere da dago dagoen daude dauka daukat dela den dira "
    "direla du duela duen "
    "dugu dut dute ere eta ez gara gero gu guk gure hau hori izan nago nahi naiz ni nik nire noiz nola non nondik nongo nor "
    "norekin noren norentzat nork zein zen zenbat zer zergatik zeuden ziren zu zuen zuk zure zuten",
    // Indonesian
    "adalah agar akan aku apa apakah atau bagaimana bahwa belum berapa bisa boleh dan dapat dari dengan di dia hanya harus "
    "ia ini itu jadi jika juga kami kamu kapan karena ke kenapa kepada kita lagi mana mengapa mereka oleh pada paling saat saja "
    "sampai sangat saya sebuah sedang sejak seperti siapa sudah supaya telah tidak untuk yang",
    // Irish
    "a ach ag agus aici aige an ann ar as ata ba bhfuil bhi ca cad cathain ce cen chun conas de den do dom don duit e faoi "
    "freisin go gur i iad in is le leis linn liom me mhead mo muid na nach ni nil no nuair orm raibh sa se seo si siad "
    "sibh sinn ta tu",
    // Lithuanian
    "apie ar as bet buvo cia dar del gal iki ir is ja jau jei ji jie jis jo jos ka kad kada kai kaip kam kas kiek kieno "
    "kodel koki kokia kokie koks kur kuri kurie kuris man mane mano mes ne nei nera nes nuo o pas per po prie pries sau savo "
    "sis sitas su ta tai taip tas tau tavo tik to tu uz yra",
    // Latvian
    "ar ari bet bija cik del es esam esmu gan ir ja jau jo jums kad kada kadas kadi kads kam kapec kas ko kur kura kuras "
    "kurs lai lidz loti man mana mans manu mes musu nav ne nebija nevis no par pat pec pie pirms sava savs si sis so ta tad "
    "tagad tas te tev tik to tu tur un uz vai vel vina vini vins",
    // Estonian
    "milline millised missugune aga ainult eest ei et ja juba juurde juures ka kas keda kelle kellel kellele kes kuhu kui kuidas "
    "kuni kus kust ma me meie "
    "mida miks millal mille millest mina minu mis mitu mu mul mulle nad nende nii ning nuud ole oled oleme olen oli olid "
    "olla oma on palju parast pole praegu sa seda selle selles siin siis sinu su ta tal te teie tema vaga vaid voi",
    // Bulgarian
    "а аз ако беше би бил била били бих в вас ви вие все всички всичко във го да дали до докато е един една едно за защо и из "
    "или им има имам имаме их как каква какви какво какъв като кога когато кого което кои които колко коя къде към ли ме между "
    "ми мои моя му на над наи нас не него неи ни ние нито но о около от по под после през при с са само се си сме съм със тази "
    "така там те тези ти то това този тои тук тя у че чии ще я",
    // Serbian
    "а ако али би била били било био бих биће где гдје да до док ево за зашто и из или им има имам их кад када како као ко кога "
    "код колика колики колико коме која које којем који којој ли ме мени ми мора мој моја моје на над нам нас наш не него неки "
    "ни ништа није о од он она они оно па по под после пре при с са сам само све се си смо су та тако тамо те ти то тог том у "
    "уз шта што ја је један једна јер још ће ћу",
    // Croatian
    "a ako ali bi bih bila bili bilo bio biti ce cu da do dok gde gdje i ili im ima imam imamo iz iza ja je jedan jedna jer "
    "jesam jesu jos kad kada kako kao ko kod koga koja koje kojeg kojem koji koliko kome li me mene mi moj moja moje moram mu "
    "na nad nakon nam nas ne nego neki ni nije nisam nista nisu o od on ona oni ono pa po pod prije s sa samo se si smo "
    "sta sto su sve svi ta tamo te ti tko to tu u uz vam vas vec vi za zasto zbog",
    // Slovenian
    "katere katerem kateremu a ali ampak bi bil bila bilo biti bo bodo bom bomo brez ce da do ga in iz jaz je jih "
    "jo k kaj kako kam katera kateri "
    "katero kdaj kdo ker ki kje ko koga koliko komu lahko le me med mi moj moja moje moram mu na naj nam nas nasa nase ne nekaj "
    "ni nic nisem o ob od on ona oni pa po pod pred pri s se sem si smo so sta ste sva ta tako tam te ti to tudi tukaj v vam "
    "vas vi vse z za zakaj ze",
    // Slovak
    "a aby aj ak ake ako aky ale alebo ani az bez bol bola boli bolo bude budem budeme budu by byt cez ci co do ho i ich im ja "
    "je jeho jej k kam kde ked kedy kolko komu kto ktora ktore ktorej ktorom ktory ku ma mam mame mi mne moj moja moje mu my na "
    "nad nam nas nasa nase ne nech nic nie o od on ona oni ono po pod podla potom preco pred pri s sa si sme som ste su ta "
    "tak tam te tento ti tie to toho tu ty u uz v vam vas vo vsak z za ze",
    // Persian
    "از است اما ان او اگر این با باید بر برای بعد به بود بی تا تو خود دارد دارم در را شد شده شما شود ما مال من می نه نیست هر "
    "هست هم همه هیچ و ولی چرا چطور چقدر چند چه کجا کجاست کدام کرد کردم کردن کرده کس کسی کند کنم کنید که کی کیست یا یک",
    // Yiddish
    "א אבער אויב אויך אויס אויף און אונדז אונטער אז אזוי איז איך אים אין ביז ביי בין דאך דאס דו די דעם דער האב האבן האט וואו "
    "וואס ווי וויפיל וועט וועמען ווען ווער זי זיין זיך זענען מיט מיך מיר מען נאך נאר ניט נישט עס ער פאר פארוואס פון צו קיין קען",
    // Armenian
    "ամեն այդ այն այս արդեն բայց դա դու եթե եմ են ենք ես երբ եւ եք է էի էին էր թե ինչ ինչու ինչպես իսկ իր կա կամ համար հետ մենք "
    "մեր միայն մինչեւ մոտ նա նաեւ նրա որ որը որոնք որտեղ որքան ու ում ուր պետք քան քանի քո",
    // Tamil
    "அது அந்த அவன் அவர் அவள் இது இந்த இருக்கிறது இருக்கு இருந்தது இல்லை உள்ளது எங்கே எத்தனை எந்த எனது என் என்ன என்று எப்படி "
    "எப்போது எவ்வளவு ஏன் ஒரு தான் நான் நாம் நீ நீங்கள் பற்றி மற்றும் மிகவும் யாரிடம் யாருக்கு யார் வரை வேண்டுமா வேண்டும்",
    // Nepali
    "अनि अब उनको उसको एउटा कति कसको कसरी कसलाई कसले कहाँ कहां कहिले किन कुन के को कोसँग गर्न गर्नु गर्ने छ छन् छु छैन छौं जुन "
    "तर त्यो थिए थियो नै पनि भने भयो म मलाई मा मेरो यस यो र लागि ले वा सँग सबै हामी हाम्रो हुन् हुन्छ हो होइन",
    // Vietnamese
    "ai bao boi cac cho chung co cua cung em gi gio khi khong la may mot nao nay neu ngay nhieu nhu nhung o phai rat roi sao se "
    "tai theo thi toi tren trong tu va vao ve vi voi đa đang đe đen đi đuoc"};

struct Letters {
  Language language;
  std::u32string_view letters;
  std::u32string_view unless_before = {};  // unless one of these follows: Russian has ъ only before vowels
};

// Letters that few other languages use; those of the first kOwnLetters rows are almost unique to their language.
constexpr std::size_t kOwnLetters = 13;
constexpr std::array<Letters, 23> kLetters = {{
    {Language::kTurkish, U"ğĞıİşŞ"},
    {Language::kPolish, U"łŁżŻśŚźŹńŃ"},
    {Language::kCzech, U"řŘěĚůŮ"},
    {Language::kHungarian, U"őŐűŰ"},
    {Language::kRomanian, U"șȘțȚ"},
    {Language::kUkrainian, U"іІїЇєЄґҐ"},
    {Language::kLithuanian, U"ėĖųŲįĮ"},
    {Language::kLatvian, U"ģĢķĶļĻņŅāĀēĒīĪ"},
    {Language::kSlovak, U"ľĽĺĹŕŔ"},
    {Language::kSerbian, U"јЈљЉњЊћЋђЂџЏ"},
    {Language::kBulgarian, U"ъЪ", U"еёюяЕЁЮЯ"},
    {Language::kPersian, U"پچژگکی"},
    {Language::kVietnamese,
     U"ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"
     U"ƠƯẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸ"},
    // Letters shared by several languages; function words decide among them, or the order of this table.
    {Language::kSwedish, U"åÅ"},
    {Language::kPolish, U"ąĄęĘćĆ"},
    {Language::kDanish, U"øØæÆåÅ"},
    {Language::kNorwegian, U"øØæÆåÅ"},
    {Language::kCzech, U"čČšŠžŽďĎťŤňŇ"},
    {Language::kCroatian, U"čČšŠžŽćĆđĐ"},
    {Language::kSlovak, U"čČšŠžŽďĎťŤňŇ"},
    {Language::kSlovenian, U"čČšŠžŽ"},
    {Language::kLithuanian, U"čČšŠžŽąĄęĘūŪ"},
    {Language::kLatvian, U"čČšŠžŽūŪ"},
}};

bool is_written_with(const Letters& each, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t letter = utf8::next(text, at);
    if (letter < 0x80 || !each.letters.contains(letter)) continue;
    std::size_t behind = at;
    if (at == text.size() || !each.unless_before.contains(utf8::next(text, behind))) return true;
  }
  return false;
}

struct Script {
  char32_t first, last;
  std::array<std::optional<Language>, 4> languages;  // the first is the default
};

// Scripts of languages not written in Latin letters.
constexpr std::array<Script, 8> kScripts = {{
    {0x0370, 0x03FF, {Language::kGreek}},
    {0x0400, 0x052F, {Language::kRussian, Language::kUkrainian, Language::kSerbian, Language::kBulgarian}},
    {0x0530, 0x058F, {Language::kArmenian}},
    {0x0590, 0x05FF, {Language::kHebrew, Language::kYiddish}},
    {0x0600, 0x06FF, {Language::kArabic, Language::kPersian}},
    {0x0900, 0x097F, {Language::kHindi, Language::kNepali}},
    {0x0B80, 0x0BFF, {Language::kTamil}},
    {0xAC00, 0xD7A3, {Language::kKorean}},
}};

bool is_of(const Script& script, Language language) {
  return std::ranges::find(script.languages, std::optional(language)) != script.languages.end();
}

bool is_latin(Language language) {
  return std::ranges::none_of(kScripts, [&](const Script& each) { return is_of(each, language); });
}

bool is_usual(Language language) { return std::ranges::find(kUsualLanguages, language) != kUsualLanguages.end(); }

bool is_latin_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 0xC0 && c <= 0x24F) || (c >= 0x1E00 && c <= 0x1EFF); }

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

std::optional<Language> language_of_letters(std::string_view text) {
  const auto found = std::ranges::find_if(kLetters, [&](const Letters& each) { return is_written_with(each, text); });
  return found == kLetters.end() ? std::nullopt : std::optional(found->language);
}

void count_letters(std::string_view text, LanguageCounts& counts) {
  const auto own = std::span(kLetters).first(kOwnLetters);
  const auto found = std::ranges::find_if(own, [&](const Letters& each) { return is_written_with(each, text); });
  if (found != own.end()) {
    ++counts[static_cast<std::size_t>(found->language)];
    return;
  }
  for (const Letters& each : std::span(kLetters).subspan(kOwnLetters)) {
    if (is_written_with(each, text)) ++counts[static_cast<std::size_t>(each.language)];
  }
}

std::optional<Language> language_of_word(std::string_view folded_word, std::optional<Language> detected) {
  if (folded_word.empty()) return std::nullopt;
  std::size_t at = 0;
  const char32_t first = utf8::next(folded_word, at);
  const auto script =
      std::ranges::find_if(kScripts, [&](const Script& each) { return first >= each.first && first <= each.last; });
  if (script == kScripts.end()) {
    return detected && is_latin(*detected) && is_latin_letter(first) ? detected : std::nullopt;
  }
  if (const auto own = language_of_letters(folded_word); own && is_of(*script, *own)) return own;
  return detected && is_of(*script, *detected) ? detected : script->languages.front();
}

std::optional<DetectedLanguage> language_of_words(std::span<const std::string_view> folded_words,
                                                  const LanguageCounts& by_letters) {
  LanguageCounts counts = by_letters;
  for (const std::string_view word : folded_words) {
    const Set in = languages_of(word);
    for (std::size_t language = 0; language < kLanguages; ++language) counts[language] += static_cast<int>(in >> language & 1);
  }
  const auto best = std::ranges::max_element(counts);  // the first of equals
  if (*best == 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(best - counts.begin());
  const auto language = static_cast<Language>(at);
  constexpr int kSomeWords = 2;
  return DetectedLanguage{language, *best >= kSomeWords || is_usual(language) || !is_latin(language)};
}

}  // namespace ladder::store
