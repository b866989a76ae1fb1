from tvm.matrix._template import filled


def test_every_place_gets_its_content() -> None:
    assert filled("@A@ and @B@, @A@", {"@A@": "one", "@B@": "two"}) == "one and two, one"


def test_a_content_may_hold_a_later_place() -> None:
    assert filled("@STEPS@", {"@STEPS@": "wait @MINUTES@ minutes", "@MINUTES@": "5"}) == "wait 5 minutes"
