// The generated owner's vocabulary: for each language subjects, verbs and endings that form a sentence in any
// combination. The scripts cover one, two, three and four byte characters, combining marks and both writing directions.
#pragma once

#include <array>
#include <string_view>

namespace demo {

struct Language {
  std::string_view tag;        // BCP 47
  std::string_view space;      // between words
  std::string_view full_stop;  // ends a sentence
  std::array<std::string_view, 8> who;
  std::array<std::string_view, 8> does;
  std::array<std::string_view, 8> what;
};

inline constexpr std::array<Language, 9> kLanguages = {{
    {"en",
     " ",
     ". ",
     {"The lighthouse keeper", "My sister", "The old baker", "Our neighbour", "A tired clerk", "The night train",
      "Every gardener", "The ferryman"},
     {"counts", "remembers", "repairs", "misplaces", "paints", "carries", "forgets", "weighs"},
     {"the winter apples", "a box of letters", "the third clock", "two brass keys", "the ledger of tides", "an unfinished map",
      "the copper kettle", "a bundle of seeds"}},
    {"de",
     " ",
     ". ",
     {"Der Leuchtturmwärter", "Meine Schwester", "Die müde Bäckerin", "Unser Nachbar", "Ein höflicher Bote", "Der Nachtzug",
      "Jede Gärtnerin", "Der Fährmann"},
     {"zählt", "vergisst", "übermalt", "trägt", "verlegt", "prüft", "schließt", "wiegt"},
     {"die süßen Äpfel", "ein Bündel Briefe", "die große Straßenuhr", "zwei Schlüssel", "das Buch der Gezeiten",
      "eine halbe Landkarte", "den Kupferkessel", "die Samentütchen"}},
    {"el",
     " ",
     ". ",
     {"Ο φαροφύλακας", "Η αδελφή μου", "Ο γέρος φούρναρης", "Η γειτόνισσα", "Ένας κουρασμένος γραφέας", "Το νυχτερινό τρένο",
      "Κάθε κηπουρός", "Ο βαρκάρης"},
     {"μετράει", "θυμάται", "διορθώνει", "χάνει", "βάφει", "κουβαλάει", "ξεχνάει", "ζυγίζει"},
     {"τα χειμωνιάτικα μήλα", "ένα κουτί γράμματα", "το τρίτο ρολόι", "δύο χάλκινα κλειδιά", "το βιβλίο των παλιρροιών",
      "έναν μισό χάρτη", "το χάλκινο μπρίκι", "λίγους σπόρους"}},
    {"ru",
     " ",
     ". ",
     {"Смотритель маяка", "Моя сестра", "Старый пекарь", "Наша соседка", "Усталый писарь", "Ночной поезд", "Каждый садовник",
      "Паромщик"},
     {"считает", "помнит", "чинит", "теряет", "красит", "несёт", "забывает", "взвешивает"},
     {"зимние яблоки", "коробку писем", "третьи часы", "два медных ключа", "книгу приливов", "незаконченную карту",
      "медный чайник", "мешочек семян"}},
    {"ar",
     " ",
     ". ",
     {"حارس المنارة", "أختي", "الخباز العجوز", "جارنا", "كاتب متعب", "قطار الليل", "كل بستاني", "صاحب القارب"},
     {"يعدّ", "يتذكر", "يصلح", "يضيّع", "يدهن", "يحمل", "ينسى", "يزن"},
     {"تفاح الشتاء", "صندوق الرسائل", "الساعة الثالثة", "مفتاحين من نحاس", "دفتر المدّ والجزر", "خريطة ناقصة", "الإبريق النحاسي",
      "حفنة بذور"}},
    {"he",
     " ",
     ". ",
     {"שומר המגדלור", "אחותי", "האופה הזקן", "השכנה שלנו", "פקיד עייף", "רכבת הלילה", "כל גנן", "בעל המעבורת"},
     {"סופר", "זוכר", "מתקן", "מאבד", "צובע", "נושא", "שוכח", "שוקל"},
     {"את תפוחי החורף", "קופסת מכתבים", "את השעון השלישי", "שני מפתחות פליז", "את ספר הגאות", "מפה לא גמורה", "את קומקום הנחושת",
      "צרור זרעים"}},
    {"hi",
     " ",
     "। ",
     {"दीपघर का रखवाला", "मेरी बहन", "बूढ़ा नानबाई", "हमारा पड़ोसी", "थका हुआ मुंशी", "रात की गाड़ी", "हर माली", "माझी"},
     {"गिनता है", "याद रखता है", "सुधारता है", "खो देता है", "रंगता है", "ढोता है", "भूल जाता है", "तौलता है"},
     {"जाड़े के सेब", "चिट्ठियों का डिब्बा", "तीसरी घड़ी", "पीतल की दो चाबियाँ", "ज्वार की बही", "अधूरा नक़्शा", "ताँबे की केतली",
      "बीजों की पोटली"}},
    {"ja",
     "",
     "。",
     {"灯台守は", "妹は", "年老いたパン屋は", "隣の人は", "疲れた書記は", "夜汽車は", "庭師はみな", "渡し守は"},
     {"冬のりんごを", "手紙の箱を", "三番目の時計を", "真鍮の鍵を二つ", "潮の帳簿を", "描きかけの地図を", "銅のやかんを",
      "種の包みを"},
     {"数える", "覚えている", "直す", "なくす", "塗る", "運ぶ", "忘れる", "量る"}},
    {"zh",
     "",
     "。",
     {"守灯塔的人", "我妹妹", "老面包师", "我们的邻居", "疲倦的书记", "夜行列车", "每个园丁", "摆渡人"},
     {"数着", "记得", "修好了", "弄丢了", "粉刷了", "带着", "忘了", "称了称"},
     {"冬天的苹果", "一盒信", "第三座钟", "两把黄铜钥匙", "潮汐账本", "没画完的地图", "铜水壶", "一包种子"}},
}};

// Four-byte characters, joined sequences, flags, skin tones and combining marks.
inline constexpr std::array<std::string_view, 12> kEmoji = {
    "🍎", "🗝️", "⏰", "🌊", "🗺️", "🚂", "👩🏽‍🌾", "👨‍👩‍👧‍👦", "🏴‍☠️", "🇪🇺", "e\u0301\u0323",
    "🫖"};

inline constexpr std::array<std::string_view, 10> kPeople = {"Ada Fenwick", "Jörg Mäurer", "Eleni Vraka", "Тимур Лисов",
                                                             "ليلى حدّاد",   "נועם ברק",    "मीरा कौल",    "森野 葵",
                                                             "罗小满",      "Zoë O'Dair"};
inline constexpr std::array<std::string_view, 6> kRooms = {"harbour", "orchard",     "family",
                                                           "choir",   "night-shift", "книжный-клуб"};

}  // namespace demo
