"""Fit to a topic is shown beside authority and never moves it."""

from __future__ import annotations

import pytest

from dream_evaluators.web.domains import DomainAuthority

SCORER = DomainAuthority()

FITS = [
    ("https://www.nvidia.com/x", "NVIDIA H100 memory bandwidth", 85, "own product"),
    ("https://www.nvidia.com/x", "GPU market forecast and competitors", 45, "market"),
    ("https://www.sec.gov/Archives/edgar/1", "filing company risk factors", 90, "filing"),
    ("https://www.canada.ca/x", "Housing policy in Canada", 95, "public body"),
    ("https://www.gov.cn/x", "中国人口政策", 95, "public body"),
    ("https://www.xinhuanet.com/x", "Chinese export policy", 40, "own voice"),
    ("https://www.spiegel.de/x", "German election", 80, "press of the country"),
    ("https://www.greenpeace.org/x", "Greenpeace campaigns", 50, "own cause"),
    ("https://worldsteel.org/x", "steel emissions", 50, "own cause"),
    ("https://www.nature.com/articles/x", "cancer therapy", 90, "health"),
    ("https://www.nejm.org/x", "糖尿病药物治疗", 90, "health"),
    ("https://docs.python.org/3/", "python packaging", 85, "own product"),
    ("https://kubernetes.io/docs", "database api design", 90, "software"),
    ("https://www.infowars.com/x", "anything", 5, "no topic"),
    ("https://www.nature.com/articles/x", "gardening", 60, "no particular"),
    ("https://baike.baidu.com/item/x", "百度百科", 60, "no particular"),
]


@pytest.mark.parametrize(("url", "topic", "fit", "reason"), FITS)
def test_whose_voice_it_is_sets_the_fit(url: str, topic: str, fit: float, reason: str) -> None:
    got = SCORER.score(url, topic=topic)
    assert (got.fit, reason in got.fit_reason) == (fit, True)
    assert got.score == SCORER.score(url).score


def test_without_a_topic_or_a_source_there_is_no_fit() -> None:
    assert SCORER.score("https://www.nature.com/x").fit is None
    assert SCORER.score("mailto:x", topic="cancer").fit is None
    assert SCORER.score("https://t.co/x", topic="cancer").fit is None
    assert SCORER.score("https://unheard-of-name.com", topic="cancer").fit == 60
    assert SCORER.score("https://news.un.org/x", topic="联合国").fit is not None


def test_a_publisher_named_in_its_own_script_is_found() -> None:
    from dream_evaluators.web.domains.fit import Party, fit_of

    assert fit_of("vendor", Party("华为", "huawei.com"), "华为手机")[0] == 85
