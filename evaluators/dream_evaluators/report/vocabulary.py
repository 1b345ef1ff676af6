"""Words that reports use around citations, in the languages they are written in."""

from __future__ import annotations

import re


def words(text: str) -> frozenset[str]:
    """Return the words of a text: how word lists are written down here."""
    return frozenset(text.split())


# Headings of reference lists, without numbers, emphasis and punctuation.
_HEADINGS = (
    # English
    r"(?:(?:key|main|primary|selected|cited|full|complete|consulted|secondary|"
    r"further|additional|all|web|online|data|list of|annotated|"
    r"works|core|supporting|academic|official|other|external|important|major|top|"
    r"verified|source|the|inline|numbered|final) )*"
    r"(?:references?|sources?|citations?|bibliograph(?:y|ies)|works cited|"
    r"literature cited|reference list|source list|sources list|"
    r"footnotes|endnotes|end notes|notes|links|urls?|works consulted|source links|"
    r"source urls?|literature|evidence sources|source documents?|"
    r"reading list|source notes|source index|sources index|bibliographic references)"
    r"(?: (?:and|&) (?:further reading|notes|sources|references|citations|links|"
    r"reading|bibliography|footnotes|resources|evidence|data sources|methods))?"
    r"(?: (?:used|cited|consulted|list|listed|reviewed|referenced|section|table|"
    r"index|accessed|checked|links|urls?|retrieved|"
    r"cited in this report|used in this report|and links))*",
    r"further reading|resources|sources? consulted|where this comes from",
    # Chinese, traditional and simplified; Japanese; Korean
    r"(?:主要|关键|關鍵|核心|重要|部分|引用|数据|數據|资料|資料|信息|資訊|全部|所有|权威|權威)*(?:的)?(?:参考|參考|引用|资料|"
    r"資料|信息|数据|數據|文献|文獻)*(?:的)?"
    r"(?:文献|文獻|来源|來源|资料|資料|书目|書目|著作|链接|鏈接|連結|引用|出处|出處|参考|參考|内容如下|內容如下|网址|網址|列表|清单|"
    r"清單|来源列表|注释|註釋|脚注|腳註|注)(?:列表|清单|清單|如下|与来源|及链接|与链接|部分|一览)?",
    r"参考文献(?:一覧|リスト)?|出典(?:一覧|リスト)?|引用文献|参照(?:元|文献)?|情報源|脚注|参考資料(?:一覧)?|参考リンク|参考サイト|ソース",
    r"참고\s?(?:문헌|자료)|출처|인용(?:\s?문헌)?|각주|자료\s?출처",
    # German, French, Spanish, Portuguese, Italian, Dutch, Nordic, Polish, Czech, Turkish
    r"quellen(?:verzeichnis|angaben|nachweise|liste)?|literatur(?:verzeichnis|"
    r"angaben|liste|hinweise)?|referenzen|einzelnachweise|belege|fußnoten|fussnoten|"
    r"nachweise|"
    r"quellen und literatur|verwendete quellen|weiterführende links",
    r"(?:principales )?(?:références|sources)(?: (?:bibliographiques|citées|"
    r"consultées|principales|utilisées))?|bibliographie|ouvrages cités|notes de bas "
    r"de page|liens",
    r"(?:principais |principales )?(?:referencias|fuentes|referências|fontes|obras "
    r"citadas|citas|citações|enlaces|bibliografía|bibliografia|notas(?: al pie| de "
    r"rodapé)?)"
    r"(?: (?:bibliográficas|consultadas|citadas|utilizadas|principales|principais|usadas))*",
    r"(?:fonti|riferimenti|note)(?: (?:bibliografici|bibliografiche|citate|"
    r"consultate))?|sitografia|opere citate|bronnen(?:lijst)?|literatuur(?:lijst)?|"
    r"referenties|"
    r"källor|referenser|källförteckning|kilder|kildeliste|referanser|lähteet|"
    r"lähdeluettelo|źródła|bibliografia|przypisy|literatura|zdroje|kaynaklar|"
    r"kaynakça|referanslar|"
    r"surse|bibliografie|források|irodalomjegyzék|πηγές|βιβλιογραφία|αναφορές",
    # Russian, Ukrainian, Arabic, Hebrew, Hindi, Thai, Vietnamese, Indonesian
    r"источники|список (?:литературы|источников)|литература|ссылки|примечания|"
    r"сноски|библиография|використані джерела|джерела|посилання|список літератури",
    r"المصادر|المراجع|المصادر والمراجع|الهوامش|מקורות|הערות|स्रोत|संदर्भ|"
    r"แหล่งอ้างอิง|อ้างอิง|บรรณานุกรม|nguồn(?: tham khảo)?|tài liệu tham khảo|"
    r"sumber|referensi|daftar pustaka",
)
_HEADING = re.compile("(?:" + "|".join(_HEADINGS) + ")", re.I)
_DECORATION = re.compile(
    r"^[\W\d_]*?(?:(?:\d+|[ivx]+|[一二三四五六七八九十]+)[.)、．:：]\s*)*[\W_]*", re.I
)
_TAIL = re.compile(r"(?:\s*[（(\[][^()（）\[\]]{0,60}[)）\]])*[\W_]*$")

# Labels in front of a source: "Source: …", "（来源：…）".
_SOURCE_WORDS = (
    r"sources?|refs?\.?|references?|citations?|cited|via|see(?: also)?|cf\.?|from|"
    r"link|links|url|evidence|doi|read more|data source|source url|retrieved from|"
    r"来源|來源|資料來源|资料来源|数据来源|數據來源|信息来源|出处|出處|引用|参考|參考|参见|參見|详见|詳見|据|出典|参照|출처|참고|"
    r"quellen?|siehe|vgl\.?|source\(s\)|sources? :|réf\.?|voir|fuentes?|véase|ver|"
    r"fontes?|fonte|fonti|bron(?:nen)?|källa|kilde|źródło|источник(?:и)?|см\.?|"
    r"kaynak|المصدر|المصادر|sumber|nguồn"
)
# A space belongs to the colon behind it or ends the label: two readings of one would multiply.
_LABEL = rf"(?:\*\*|__|\*|_|\[)?(?:{_SOURCE_WORDS})(?:\*\*|__|\*|_)?(?:\s?[:：])?(?:\*\*|__|\*|_)?"
SOURCE_LABEL = re.compile(rf"{_LABEL}\s*", re.I)
SOURCE_LINE = re.compile(
    rf"[\s>]*(?:[-*+•→↳]\s+)?[(（\[【]?(?:\*\*|__|\*|_)?(?:{_SOURCE_WORDS})(?:\*\*|__|\*|_)?\s?[:：]",
    re.I,
)


_WEAK = re.compile(
    r"(?:end ?|foot)?notes?|links?|urls?|resources|注|literatura?|belege|liens|"
    r"enlaces|信息|数据|來源數據|evidence sources",
    re.I,
)


def is_weak_heading(text: str) -> bool:
    """Whether a heading that `is_reference_heading` accepts often announces something else."""
    core = _TAIL.sub("", _DECORATION.sub("", text.strip().strip("*_# \t"))).strip("*_ \t:：")
    return _WEAK.fullmatch(core) is not None


def is_reference_heading(text: str) -> bool:
    """Whether a heading announces a reference list, whatever number or emoji decorates it."""
    if len(text) > 90:
        return False
    core = _TAIL.sub("", _DECORATION.sub("", text.strip().strip("*_# \t"))).strip("*_ \t:：")
    return bool(core) and _HEADING.fullmatch(core) is not None
