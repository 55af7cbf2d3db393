//! Tests of splitting text into pretokens, by topic.

mod paper;
mod patterns;
mod portable;
mod scanners;
mod scripts;
mod spellings;

use super::*;
use crate::testing::Random;

fn config(name: &str) -> PretokenizerConfig {
    PretokenizerConfig::preset(name).expect("a preset")
}

fn preset(name: &str) -> Pretokenizer {
    Pretokenizer::new(config(name)).expect("a preset compiles")
}

/// A configuration with this pattern alone.
fn only(pattern: &str) -> PretokenizerConfig {
    PretokenizerConfig {
        name: None,
        pattern: pattern.to_owned(),
        script: None,
        eligible: DEFAULT_ELIGIBLE.to_owned(),
    }
}

fn custom(pattern: &str) -> Pretokenizer {
    Pretokenizer::new(only(pattern)).expect("the pattern compiles")
}

fn split(pretokenizer: &Pretokenizer, text: &str) -> Vec<String> {
    let pretokens = pretokenizer.split(text).expect("no limit is reached");
    pretokens.into_iter().map(str::to_owned).collect()
}

/// Pieces that the patterns tell apart: every class in ASCII and beyond, in several scripts.
const NASTY: [&str; 85] = [
    "a",
    "b",
    "s",
    "t",
    "re",
    "ve",
    "ll",
    "m",
    "d",
    "A",
    "B",
    "S",
    "LL",
    "é",
    "É",
    "ß",
    "ſ",
    "ǅ",
    "ʰ",
    "ª",
    "ж",
    "Ж",
    "λ",
    "ا",
    "ש",
    "क",
    "ि",
    "国",
    "電",
    "ひ",
    "カ",
    "ー",
    "ไ",
    "ท",
    "่",
    "ม",
    "ြ",
    "ខ",
    "្",
    "ກ",
    "່",
    "한",
    "\u{301}",
    "\u{20e3}",
    "\u{200d}",
    "\u{fe0f}",
    "👩",
    "🇩",
    "1",
    "2",
    "٣",
    "½",
    "Ⅷ",
    " ",
    " ",
    " ",
    "\t",
    "\u{a0}",
    "\u{3000}",
    "\u{85}",
    "\u{2028}",
    "\n",
    "\r",
    "\r\n",
    "'",
    "'",
    "’",
    "/",
    ".",
    "(",
    "\u{e000}",
    "\u{378}",
    "\u{1}",
    "\u{7f}",
    "゛",
    "・",
    "\u{3099}",
    "\u{3097}",
    "\u{3098}",
    "龥",
    "龦",
    "々",
    "〇",
    "⺀",
    "\u{16ff0}",
];

/// Text in many languages and kinds.
const TEXTS: [&str; 34] = [
    "The quick brown fox isn't lazy; it's JUMPING over 12,345 dogs.\n\nWhat'S that? THEY'LL see.",
    "Größe überschätzt: Straßenbahnfahrkarte für 3,50 € – Ärger!",
    "L’été dernier, j'ai mangé des crêpes à l'hôtel, n'est-ce pas ?",
    "¿Dónde está el niño? ¡Aquí! Compró 1.000.000 de años.",
    "Il cane dell'amico è più vecchio; perché no?",
    "Zażółć gęślą jaźń. Chrząszcz brzmi w trzcinie.",
    "İstanbul'da ıslak çöl ığdır Iğdır",
    "Съешь ещё этих мягких французских булок, да выпей чаю. ФичаДляПроверки",
    "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Ἐν ἀρχῇ ἦν ὁ λόγος",
    "السلام عليكم، كيف حالك؟ مُحَمَّد ١٢٣٤ ـــ",
    "שלום עולם! בְּרֵאשִׁית בָּרָא אֱלֹהִים 42",
    "نمی‌خواهم کتاب را بخوانم؛ ۱۲۳۴",
    "यह एक परीक्षा है। अग्निमीळे पुरोहितं १२३४",
    "আমি বাংলায় গান গাই। ১২৩",
    "தமிழ் மொழி மிகவும் பழமையானது. ௧௨௩",
    "తెలుగు భాష ಕನ್ನಡ ഭാഷ ગુજરાતી ਪੰਜਾਬੀ සිංහල",
    "我爱北京天安门。GPT-4o模型有128个层,2024年发布!",
    "日本語のテキスト、カタカナとひらがな。東京タワーは333mです。コーヒー",
    "한국어 텍스트입니다. 서울은 2024년에 넓다.",
    "ภาษาไทยไม่มีช่องว่าง ๑๒๓ เก้าอี้ น้ำ",
    "မြန်မာဘာသာစကား ၁၂၃ ကျွန်ုပ်",
    "ភាសាខ្មែរ គ្មានដកឃ្លា ១២៣",
    "ພາສາລາວ ບໍ່ມີຊ່ອງຫວ່າງ ໑໒໓",
    "བོད་སྐད་ནི། རྫོང་ཁ་",
    "Հայերեն լեզու ქართული ენა አማርኛ ቋንቋ ᏣᎳᎩ ᠮᠣᠩᠭᠣᠯ",
    "Tiếng Việt có dấu: Nguyễn Văn Ánh, cafe\u{301} va\u{300} a\u{302}\u{301}",
    "👩‍👩‍👧‍👦 family 👍🏽! 🇩🇪🇫🇷 1️⃣ ❤️‍🔥 ☺︎ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "def f(x: int) -> str:\n    return f\"{x:>10}\"  # comment\r\n\r\n\tif (a && b) { c++; } // end\n",
    "https://example.com/a/b?c=d&e=f#g\n//\n///path\n/* x */\\n",
    "camelCase HTMLParser XMLHttpRequest snake_case SCREAMING_CASE iPhone6s",
    "  leading   and   trailing   \n  \n\n   \t\t x  ",
    "paypаl (Cyrillic а) Wi-Fi网 α-Helix µm K Å ﬁ ǅ Ⅷ ½ ²",
    "\u{feff}BOM \u{200b}zero\u{ad}width \u{2028}line\u{2029}para\u{85}nel\u{a0}nbsp\u{3000}wide",
    "'s 'S 'ſ 't'll''ve '’s it's’s don’t rock'n'roll O'Neill's l’l'l",
];
