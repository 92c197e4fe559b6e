"""The host's side of the protocol of sdk/STDIO.md: a program in any language as a bot."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spieltisch.bot.crash import BotFailed
from spieltisch.bot.player import BotTurn, Player
from spieltisch.bot.stdio import PROTOCOL
from spieltisch.models import Action, Result

#: How long a program may take to say hello, and for a decision unless it is told otherwise.
HELLO_S = 30.0
DECISION_S = 60.0
#: How long a program may take to end that has closed its output.
_END_S = 20.0
_LONGEST_LINE = 1 << 20
#: So much of the end of a program's stderr is looked at for its last line.
_LAST_BYTES = 1000
# Waits for the end of its input, which comes when this process has ended.
_GUARD = 'read -r _; kill -9 "-$1" 2>/dev/null'
_INTERPRETERS = {".mjs": "node", ".cjs": "node", ".js": "node", ".rb": "ruby", ".sh": "sh", ".pl": "perl"}


class Program(Player):
    """A program that is asked for its decisions. Started when it is first needed, and again after it has failed.

    command: as in a shell, or the arguments of the process. A file that cannot be executed itself is run by what its
    ending suggests. folder: where it is started. complaints: a file that its stderr is added to. name: how failures
    name it; by default as it calls itself, or its file. It ends when this process does, however that ends. Not shared
    between threads.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        decision_s: float = DECISION_S,
        hello_s: float = HELLO_S,
        folder: Path | None = None,
        complaints: Path | None = None,
        name: str | None = None,
    ) -> None:
        self._command = as_arguments(command, folder or Path()) if isinstance(command, str) else list(command)
        self._decision_s = decision_s
        self._hello_s = hello_s
        self._folder = folder
        self._complaints = complaints
        self._guard: subprocess.Popen[bytes] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._number = 0
        self._games: list[str] | None = None
        self._named = name is not None
        self.name = name or Path(self._command[-1]).stem
        self._complained_bytes = 0

    def decide(self, turn: BotTurn) -> Action:
        """What the program answers. Raises BotFailed where it does not, in time, with an action."""
        self.prepare()
        if self._games is not None and turn.game not in self._games:
            raise BotFailed(f"{self.name} plays {', '.join(self._games)}, not {turn.game}")
        self._number += 1
        decision_s = self._decision_s if turn.remaining_ms is None else min(self._decision_s, turn.remaining_ms / 1000)
        question = {
            "type": "decide",
            "id": self._number,
            "match": turn.match,
            "game": turn.game,
            "options": turn.options,
            "seat": turn.seat,
            "seed": turn.seed,
            "remaining_ms": turn.remaining_ms,
            "timeout_ms": int(decision_s * 1000),
            "view": turn.raw_view,
        }
        answer = self._exchange(question, decision_s)
        if answer.get("id") != self._number:
            raise self._failed(f"answered decision {answer.get('id')!r} instead of {self._number}")
        if answer.get("type") == "error":
            raise BotFailed(f"{self.name}: {answer.get('message')}")
        action = answer.get("action")
        if answer.get("type") != "action" or not isinstance(action, dict):
            raise self._failed("answered with something else than an action", "illegal")
        return action

    def prepare(self) -> None:
        """Start the program unless it runs, so that this takes nothing from a decision's time. Raises BotFailed."""
        if self._process is None:
            self._start()

    def ended(self, match: str, seat: int, result: Result | None) -> None:
        """Tell the program how a match ended."""
        if self._process is None:
            return
        told = None
        if result is not None:
            told = {"scores": result.scores, "ranks": result.ranks, "end_reason": result.end_reason}
        with contextlib.suppress(BotFailed), self._limited(HELLO_S):
            self._tell({"type": "end", "match": match, "seat": seat, "result": told})

    def close(self) -> None:
        """End the program: its input ends, and if that is not enough, it does."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.wait()
        process.stdout.close()
        self._dismiss_guard()

    def _dismiss_guard(self) -> None:
        guard, self._guard = self._guard, None
        if guard is not None:
            guard.kill()
            guard.communicate()

    # --- speaking -------------------------------------------------------------------------------------------

    def _start(self) -> None:
        try:
            # A session of its own, so that a Ctrl-C is ours to handle and everything that it starts ends with it.
            with self._complaints.open("ab") if self._complaints else contextlib.nullcontext() as stderr:
                self._complained_bytes = stderr.seek(0, os.SEEK_END) if stderr else 0
                self._process = subprocess.Popen(  # noqa: S603
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    start_new_session=True,
                    cwd=self._folder,
                )
        except OSError as error:
            raise BotFailed(f"{self._command[0]} cannot be started: {error.strerror}") from None
        # One that does not listen would go on for ever after its host was killed.
        self._guard = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", _GUARD, "guard", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        hello = self._exchange({"type": "hello", "host": "spieltisch"}, self._hello_s)
        if hello.get("type") != "hello" or hello.get("protocol") != PROTOCOL:
            said = hello.get("message") or f"it did not say hello in protocol {PROTOCOL}"
            raise self._failed(f"cannot be spoken with: {said}")
        if isinstance(hello.get("name"), str) and not self._named:
            self.name = hello["name"]
        games = hello.get("games")
        self._games = [str(game) for game in games] if isinstance(games, list) else None

    def _exchange(self, message: dict[str, Any], limit_s: float) -> dict[str, Any]:
        """Say something, and hear the answer."""
        assert self._process is not None
        assert self._process.stdout is not None
        with self._limited(limit_s):
            self._tell(message)
            line = self._process.stdout.readline(_LONGEST_LINE)
        if not line.endswith(b"\n"):
            if line:
                raise self._failed(f"said more than {_LONGEST_LINE} bytes in one line", "illegal")
            raise self._failed(self._end())
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._failed(f"said something else than a JSON object: {line[:80]!r}", "illegal")
        return answer

    def _tell(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({**message, "protocol": PROTOCOL}, default=list).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise self._failed(self._end()) from None

    @contextlib.contextmanager
    def _limited(self, limit_s: float) -> Any:
        """Within, the program is ended when the time is over, which ends what waits for it."""
        process = self._process
        assert process is not None
        over = threading.Event()

        def end() -> None:
            over.set()
            _kill(process)

        timer = threading.Timer(limit_s, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        except BotFailed:
            if not over.is_set():
                raise
        finally:
            timer.cancel()
        if over.is_set():
            raise self._failed(f"did not answer within {limit_s:g} s", "timeout")

    def _end(self) -> str:
        assert self._process is not None
        # Whoever has closed its output mostly ends, but on a busy machine not at once.
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        code, said = self._process.returncode, self._last_complaint()
        ended = "says nothing any more" if code is None else f"ended with exit code {code}"
        return ended + (f": {said}" if said else "")

    def _last_complaint(self) -> str:
        """The last line that this process has written to stderr, as far as that is kept."""
        if self._complaints is None:
            return ""
        with contextlib.suppress(OSError), self._complaints.open("rb") as complaints:
            complaints.seek(max(self._complained_bytes, self._complaints.stat().st_size - _LAST_BYTES))
            lines = complaints.read(_LAST_BYTES).decode(errors="replace").split("\n")
            return next((" ".join(line.split())[: _LAST_BYTES // 4] for line in reversed(lines) if line.strip()), "")
        return ""

    def _failed(self, reason: str, fault: str = "crash") -> BotFailed:
        """Give this process up; the next match gets a new one."""
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                assert process.stdin is not None
                complaint = {"type": "error", "message": reason, "protocol": PROTOCOL}
                os.set_blocking(process.stdin.fileno(), False)
                process.stdin.write(json.dumps(complaint).encode() + b"\n")
            self.close()
        return BotFailed(f"{self.name} {reason}", fault)


def as_arguments(command: str, folder: Path = Path()) -> list[str]:
    """A command as arguments of a process, its interpreter included; a file's name is looked for in `folder`.

    Raises ValueError where there is no such one.
    """
    words = shlex.split(command)
    if not words:
        raise ValueError("there is no program without a name")
    path = folder / words[0]
    if path.is_file():
        if os.access(path, os.X_OK):
            return [str(path.absolute()), *words[1:]]
        interpreter = sys.executable if path.suffix == ".py" else shutil.which(_INTERPRETERS.get(path.suffix, ""))
        if interpreter is None:
            raise ValueError(f"{path} cannot be executed, and nothing is known that runs it")
        return [interpreter, str(path.absolute()), *words[1:]]
    if shutil.which(words[0]) is None:
        raise ValueError(f"there is no program {words[0]!r}")
    return words


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
