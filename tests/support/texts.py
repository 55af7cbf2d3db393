"""Fixed texts in many languages, and alphabets to generate more text from.

Every text repeats a few phrases, so that pairs of words occur often enough to form superwords.
"""

from __future__ import annotations

SENTENCES = (
    "The name of the file is the name of the module, as well as the name of the test.",
    "One of the first things that one of the people in the house said was not to be said.",
    "It is one of the most common words in the language, and it is in the list of the words.",
    "Она сказала, что это одно из слов, и это одно из слов на русском языке.",
    "これは言葉です。これは言葉の一つです。言葉は大切です。",
    "En el nombre de la casa, en el nombre de la ciudad; de la casa a la ciudad.",
    "def name_of_the_file(path: str) -> str:\n    return path.rsplit('/', 1)[-1]\n",
    "Don't say that it can't be done 👩‍👩‍👧 in 2026, or 12 345 times!\r\n\r\n",
)

# A small corpus: the sentences in every rotation, four times.
DOCUMENTS = [" ".join(SENTENCES[i:] + SENTENCES[:i]) for i in range(len(SENTENCES))] * 4

TEXTS: dict[str, str] = {
    "english": (
        "The baker's son said that it was one of the best days of the year, and that the bread "
        "of the day wasn't bad. \"It's one of the best,\" he'd said; they'll say it's one of "
        "the best again. WE'RE OPEN, said the sign: We'Re Open."
    ),
    "german": (
        "Über die Brücke fährt die Straßenbahn in die Stadt, und über die Brücke geht der Weg "
        "in die Stadt zurück. Die größte Straße heißt „Große Straße“; die GROẞE STRASSE auch."
    ),
    "french": (
        "L’été dernier, c’est à l'hôtel qu'on s'est vus : « l’été, c’est à l'hôtel », disait-il. "
        "Aujourd'hui, il n'y a plus d'hôtel, il n'y a plus d’été, et il n'y a plus qu'un cœur."
    ),
    "russian": (
        "В начале дня в доме было тихо, и в начале ночи в доме было тихо. «Что это такое?» — "
        "спросил он. Это такое утро, ответила она, что в доме было тихо и ещё темно."
    ),
    "greek": (
        "Η θάλασσα και ο ουρανός είναι από το ίδιο χρώμα, και ο ουρανός είναι από το ίδιο φως. "
        "Ὁ ἄνθρωπος καὶ ἡ θάλασσα· ὁ ἄνθρωπος καὶ ὁ οὐρανός; ΜΕΓΑΛΟΣ Ο ΟΥΡΑΝΟΣ, μεγάλος ο ουρανός."
    ),
    "arabic": (
        "في البيت الكبير كتاب، وفي البيت الصغير كتاب. قرأتُ الكِتابَ في البيت الكبير، ثم قرأتُ "
        "الكِتابَ في البيت الصغير؛ عدد الكتب ١٢٣ كتابًا، هل هذا صحيح؟"
    ),
    "hebrew": (
        "בבית הגדול יש ספר, ובבית הקטן יש ספר. קראתי את הספר בבית הגדול, וקראתי את הסֵּפֶר "
        'בבית הקטן; צה"ל ועו"ד הם ראשי תיבות, וגם ארה"ב.'
    ),
    "hindi": (
        "यह घर बहुत बड़ा है और यह घर बहुत पुराना है। घर के सामने एक पेड़ है, और घर के पीछे एक "
        "पेड़ है। क्या यह घर बहुत बड़ा है? हाँ, १२३४ कमरे हैं।"
    ),
    "bengali": (
        "এই বাড়িটা খুব বড়, আর এই বাড়িটা খুব পুরনো। বাড়ির সামনে একটা গাছ আছে, বাড়ির পিছনে একটা "
        "গাছ আছে। ১২৩ টাকা দাম; এই বাড়িটা খুব বড়।"
    ),
    "chinese": (
        "今天的天气很好，明天的天气也很好。我们今天去公园，明天去图书馆。图书馆在公园的北边，"
        "公园在图书馆的南边。一共有1234本书、３５本杂志。「天气很好」，他说。𠮷野家的天气很好。"
    ),
    "japanese": (
        "今日の天気はとてもいいです。明日の天気もとてもいいです。コーヒーとケーキをください。"
        "スーパーのコーヒーはとてもいいです。えーっと、ラーメンはー、カー、ﾗｰﾒﾝ、時々、〆切。"
    ),
    "korean": (
        "오늘은 날씨가 아주 좋습니다. 내일도 날씨가 아주 좋습니다. 커피 한 잔과 케이크를 주세요. "
        "커피 한 잔은 3,500원입니다. 한글은 한글로도 쓴다. 大韓民國은 크다."
    ),
    "thai": (
        "วันนี้อากาศดีมาก พรุ่งนี้อากาศก็ดีมาก เราไปตลาดด้วยกัน แล้วเราไปบ้านด้วยกัน "
        "ที่ตลาดมีคน ๑๒๓ คน ฯลฯ น้ำแข็งเย็นมากๆ น้ำแข็งดีมาก"
    ),
    "burmese": (
        "ဒီနေ့ ရာသီဥတု ကောင်းတယ်။ မနက်ဖြန် ရာသီဥတု ကောင်းတယ်။ ကျွန်တော် ဈေးကို သွားတယ်၊ "
        "ကျွန်တော် အိမ်ကို သွားတယ်။ လူ ၁၂၃ ယောက် ရှိတယ်။"
    ),
    "khmer": (
        "ថ្ងៃនេះអាកាសធាតុល្អណាស់។ ថ្ងៃស្អែកអាកាសធាតុល្អណាស់។ ខ្ញុំទៅផ្សារ ហើយខ្ញុំទៅផ្ទះ។ "
        "មាន\u200bមនុស្ស\u200b១២៣\u200bនាក់។ ខ្ញុំទៅផ្សារ។"
    ),
    "lao": ("ມື້ນີ້ອາກາດດີຫຼາຍ ມື້ອື່ນອາກາດກໍດີຫຼາຍ. ຂ້ອຍໄປຕະຫຼາດ ແລ້ວຂ້ອຍໄປເຮືອນ. ມີຄົນ ໑໒໓ ຄົນຢູ່ຕະຫຼາດ ໆ. ຂ້ອຍໄປຕະຫຼາດ."),
    "emoji": (
        "so happy 👩‍👩‍👧‍👦👩‍👩‍👧‍👦 so happy 🏳️‍🌈 🇩🇪🇫🇷🇯🇵 👍🏽👍🏿👍 ❤️‍🔥 1️⃣2️⃣#️⃣ so happy ☺️☺ 🧑🏾‍🚀 "
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 😀😀😀 so 🫠happy🫠 🇩 🇩🇪🇫"
    ),
    "source code": (
        "def read_file(path: str) -> list[str]:\n    with open(path) as file:\n"
        "        return [line.rstrip('\\n') for line in file]\n\n\n"
        "#include <vector>\nfor (int i = 0; i < n; ++i) {\n\tsum += values[i] * 0x1F;\n}\n"
        "fn getName(&self) -> Option<&'a str> { self.names.get(0)?.as_str().into() } // parseHTML\n"
        "SELECT * FROM users WHERE users.name != 'x' AND users.id >= 10; -- https://a.b/c?d=e&f=1\n"
    ),
    "numbers": (
        "0 00 000 0000 1,234,567.89 3.14159e-10 0xFF 1/2 ½ ¾ Ⅷ ⅷ ² ³ ₁₂ ①②③ 五 五百 ٠١٢٣٤ ०१२३ "
        "１２３４ 𝟘𝟙𝟚 12345678901234567890 -1 +1 1e5 12:34:56 2026-11-15 $9.99 99% 1st 2nd A4 4K"
    ),
    "mixed scripts": (
        "Tеst Tеst раypаl раypаl αlpha ßeta aбв日本語ABC한글abcไทยabc кофеcoffeeコーヒーkaffee "
        "德国HYDAC电磁球阀 can be 德国HYDAC电磁球阀 Wi-Fiを WiFiを iPhoneの T恤 T恤 Ωmega µm μm Åkm"
    ),
    "combining marks": (
        "cafe\u0301 cafe\u0301 café n\u0303o ño e\u0301\u0302\u0323 \u0301start x\u0338y "
        "Z\u0351\u036b\u0343a\u0328\u0348l\u0361g\u0321o a\u20dd 1\u20e3 \u1e9b\u0323 \u0344 "
        "Việt Viê\u0323t Vie\u0323\u0302t \u0628\u064e\u0651 \u05d1\u05bc\u05b8 "
        "が か\u3099 ｶﾞ"
    ),
    "line ends": "one\r\ntwo lines\r\n\r\nthree\rfour\n\nfive\n\r six \r\n\tseven\n \n \n x\r\n",
    "odd whitespace": (
        "a  b   c\td\t\te \u00a0f\u00a0\u00a0g\u2003h\u2009i\u200aj\u3000k \u3000l\u202fm\u205fn"
        "\u1680o\u0085p\u2028q\u2029r\x0bs\x0ct\x1cu\x1dv\x1ew\x1fx\u180ey\u200bz\ufeffa   \u00a0  "
    ),
    "controls": (
        "\x00 \x00\x00 a\x00b\x01\x02\x7f\x80\x9f\u00ad\u200e\u200f\u061c\u2066x\u2069 \ufffd\ufffe"
        "\uffff\U000e0001\U0010ffff\ue000\U000f0000 \x1b[31mred\x1b[0m \x00"
    ),
    "apostrophes": (
        "don't don’t DON'T 'tis ’tis 'S 'ſ I'm I'M I’m rock'n'roll O'Neill's '' ''s x'' 'll 'LL "
        "'Ll we've'd y'all'd've it's's 'd'd 're're ʼn it\u02bcs 'K 'K l'l'l'"
    ),
    "casing": (
        "camelCase PascalCase HTMLParser iOS ǅungla ǈubav ǅ DŽ dž ﬀ ﬃ ſt İI ıi ẞß ΑΑα Ⅳⅳ ʰa aʰ ªº "
        "ᏣᎳᎩ ꭰ ᲐᲑ აბ ⒶⓐⒷ 𝐀𝐚 𝒳𝓎 ꟲ ꭜ McDONALD eBay aB Ab AB ab ABc aBC"
    ),
}

# Alphabets for random texts: the characters of each text above, and one of corner cases.
CHARACTERS: dict[str, str] = {name: "".join(sorted(set(text))) for name, text in TEXTS.items()}
CORNERS = (
    "aBé ſK'’\t\n\r /.,1２٣½_-德国々ーカあไทยก็မြကខ្មลาДж\u0301\u0345\u200d\u200c\ufe0f😀🏽"
    "🇩ʼʰªǅⅧ\u3000"
    "\u00a0\u0085\u2028\x1c\x00\U000e0fff\u0378\ue000한क्षבּة"
)

# Tiny alphabets, in which every pair repeats soon. With a long-vowel mark, a superword can have the
# same bytes as a word, because the mark joins the script run that follows it.
TINY = (
    "ab ",
    "aab  ",
    "a ",
    "abc. ",
    "aAb' ",
    "ab1 ",
    "a\n ",
    "德国 a",
    "aー カ",
    "一ー a!",
    "カー一 ",
    "abc",
    "éa ",
    "กา ก",
)
