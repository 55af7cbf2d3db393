import superword


def test_engine_and_package_say_one_version() -> None:
    assert superword.__version__.count(".") == 2
