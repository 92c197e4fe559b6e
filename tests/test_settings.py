"""Settings: defaults, checks, and the secret that the data folder keeps."""

import os
import stat
from pathlib import Path

import pytest

from spieltisch_service.app.limits import Limits
from spieltisch_service.domain.match import Lifetimes
from spieltisch_service.settings import BadSettings, Settings

SECRET = "s" * 32


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    ours = [name for name in os.environ if name.startswith("SPIELTISCH_")]
    for name in ("REDIS_URL", *ours):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SPIELTISCH_DATA_DIR", str(tmp_path / "data"))
    return monkeypatch


def test_the_defaults_are_safe(tmp_path: Path) -> None:
    settings = Settings.from_environment()
    assert settings.redis_url is None
    assert settings.data_dir == tmp_path / "data"
    assert (settings.host, settings.port, settings.workers) == ("127.0.0.1", 8000, 2)
    assert settings.durability == "fsync"
    assert not settings.allow_unsafe_store
    assert settings.expires_after_ms == 30 * 24 * 60 * 60 * 1000
    assert settings.seat_abort_after_ms == 7 * 24 * 60 * 60 * 1000
    assert settings.lifetimes == Lifetimes()


def test_the_secret_is_drawn_once_and_for_this_user_alone(tmp_path: Path) -> None:
    first = Settings.from_environment().secret
    assert len(bytes.fromhex(first)) == 32
    assert Settings.from_environment().secret == first
    assert stat.S_IMODE((tmp_path / "data" / "secret").stat().st_mode) == 0o600
    assert sorted(x.name for x in (tmp_path / "data").iterdir()) == ["secret", "service.lock"]


def test_another_folder_has_another_secret(tmp_path: Path, environment: pytest.MonkeyPatch) -> None:
    first = Settings.from_environment().secret
    environment.setenv("SPIELTISCH_DATA_DIR", str(tmp_path / "other"))
    assert Settings.from_environment().secret != first


def test_a_damaged_secret_is_not_used(tmp_path: Path) -> None:
    Settings.from_environment()
    (tmp_path / "data" / "secret").write_text("")
    with pytest.raises(BadSettings, match="damaged"):
        Settings.from_environment()


def test_a_secret_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    Settings.from_environment()
    (tmp_path / "data" / "secret").unlink()
    (tmp_path / "data" / "secret").mkdir()
    with pytest.raises(BadSettings, match="cannot be used: Is a directory"):
        Settings.from_environment()


def test_a_given_store_needs_a_given_secret_and_no_folder(tmp_path: Path, environment: pytest.MonkeyPatch) -> None:
    environment.setenv("REDIS_URL", "redis://localhost:6379/0")
    with pytest.raises(BadSettings, match="SPIELTISCH_SECRET"):
        Settings.from_environment()
    environment.setenv("SPIELTISCH_SECRET", SECRET)
    assert Settings.from_environment().secret == SECRET
    assert not (tmp_path / "data").exists()


def test_secrets_and_passwords_are_not_shown(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("REDIS_URL", "redis://:Mk7xQ@localhost:6379/0")
    environment.setenv("SPIELTISCH_SECRET", SECRET)
    shown = repr(Settings.from_environment())
    assert SECRET not in shown
    assert "Mk7xQ" not in shown


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SPIELTISCH_PORT", "http"),
        ("SPIELTISCH_PORT", "65536"),
        ("SPIELTISCH_WORKERS", "0"),
        ("SPIELTISCH_DURABILITY", "memory"),
        ("SPIELTISCH_DATA_DIR", "~no-such-user/data"),
        ("SPIELTISCH_SECRET", "short"),
        ("SPIELTISCH_EXPIRES_AFTER_MS", "0"),
        ("SPIELTISCH_ALLOW_UNSAFE_STORE", "perhaps"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "https://localhost"),
    ],
)
def test_a_bad_value_is_named_in_one_line(
    tmp_path: Path, environment: pytest.MonkeyPatch, name: str, value: str
) -> None:
    if name == "REDIS_URL":
        environment.setenv("SPIELTISCH_SECRET", SECRET)
    environment.setenv(name, value)
    with pytest.raises(BadSettings, match=name) as caught:
        Settings.from_environment()
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    "url",
    ["redis://h:1/2", "rediss://h", "unix:///run/valkey.sock", "redis+cluster://u:p@h:1,i:2"],
)
def test_these_are_urls_of_stores(environment: pytest.MonkeyPatch, url: str) -> None:
    environment.setenv("SPIELTISCH_SECRET", SECRET)
    environment.setenv("REDIS_URL", url)
    assert Settings.from_environment().redis_url == url


@pytest.mark.parametrize(
    ("host", "switch", "on"),
    [
        ("127.0.0.1", "auto", False),
        ("127.0.0.2", "auto", False),
        ("::1", "auto", False),
        ("localhost", "auto", False),
        ("0.0.0.0", "auto", True),
        ("::", "auto", True),
        ("192.0.2.1", "auto", True),
        ("127.0.0.1", "on", True),
        ("0.0.0.0", "off", False),
    ],
)
def test_limits_are_on_where_others_can_come(environment: pytest.MonkeyPatch, host: str, switch: str, on: bool) -> None:
    environment.setenv("SPIELTISCH_HOST", host)
    environment.setenv("SPIELTISCH_LIMITS", switch)
    assert (Settings.from_environment().limits_in_force() is not None) == on


def test_the_numbers_of_the_limits_can_be_changed(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("SPIELTISCH_LIMITS", "on")
    environment.setenv("SPIELTISCH_RATES", "reads=70/80, accounts=0/9")
    environment.setenv("SPIELTISCH_LIVE_MATCHES", "7")
    environment.setenv("SPIELTISCH_LIVE_TOURNAMENTS", "3")
    limits = Settings.from_environment().limits_in_force()
    assert limits is not None
    assert (limits.rates["reads"].per_key, limits.rates["reads"].per_address) == (70, 80)
    assert (limits.rates["accounts"].per_key, limits.rates["accounts"].per_address) == (None, 9)
    assert limits.rates["actions"] == Limits().rates["actions"]
    assert limits.live_matches == 7
    assert limits.live_tournaments == 3


@pytest.mark.parametrize("wrong", ["reads", "reads=1", "reads=1/2/3", "writes=1/2", "reads=-1/2", "reads=a/b"])
def test_a_wrong_rate_is_one_line(environment: pytest.MonkeyPatch, wrong: str) -> None:
    environment.setenv("SPIELTISCH_RATES", wrong)
    with pytest.raises(BadSettings, match=r"SPIELTISCH_RATES: .* is no rate") as caught:
        Settings.from_environment()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "value"), [("LIMITS", "yes"), ("TRUSTED_PROXIES", "-1"), ("TRUSTED_PROXIES", "x")])
def test_other_wrong_limits_are_refused(environment: pytest.MonkeyPatch, name: str, value: str) -> None:
    environment.setenv(f"SPIELTISCH_{name}", value)
    with pytest.raises(BadSettings, match=name):
        Settings.from_environment()


def test_how_long_matches_last_can_be_set(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("SPIELTISCH_OPEN_EXPIRES_AFTER_MS", "5")
    environment.setenv("SPIELTISCH_EXPIRES_AFTER_MS", "6")
    environment.setenv("SPIELTISCH_KEEP_ENDED_DAYS", "2")
    assert Settings.from_environment().lifetimes == Lifetimes(5, 6, 2 * 86_400_000)
    environment.setenv("SPIELTISCH_KEEP_ENDED_DAYS", "0")
    with pytest.raises(BadSettings, match="KEEP_ENDED_DAYS"):
        Settings.from_environment()
