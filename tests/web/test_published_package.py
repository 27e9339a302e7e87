"""What would be published of the web SDK: its files, its entries where there is no window, and the README's examples."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tools.node import WEB, find_node, modules_of

SDK = ROOT / WEB / "packages" / "web-sdk"
BLOCK = re.compile(r"^```(tsx?)\n(.*?)^```$", re.M | re.S)
WITHIN_S = 120
WHOLE_MAX_BYTES = 8_000
PART_MAX_BYTES = 5_000
NAME = "@agent-platform/web-sdk"
STRICT = ("--strict", "--noEmit", "--target", "ES2022", "--jsx", "react-jsx")


def run(folder: Path, *command: str | Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(node: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of somebody who has installed what `npm pack` makes, with React beside it."""
    found = find_node()
    assert found is not None
    place = tmp_path_factory.mktemp("installed")
    sources = place / WEB
    shutil.copytree(ROOT / WEB, sources, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (sources / "node_modules").symlink_to(modules_of(WEB), target_is_directory=True)
    package = sources / "packages" / "web-sdk"
    run(package, node, "build.mjs")
    packed = run(package, *found.npm, "pack", "--ignore-scripts", "--json", "--pack-destination", str(place))
    assert json.loads(packed), "npm says what it has packed"
    (tarball,) = place.glob("*.tgz")
    target = place / "page" / "node_modules" / NAME
    target.mkdir(parents=True)
    run(place, "tar", "xzf", tarball, "--strip-components=1", "-C", str(target))
    for name in ("react", "@types"):
        (place / "page" / "node_modules" / name).symlink_to(modules_of(WEB) / name, target_is_directory=True)
    return place / "page"


def test_it_has_what_its_entries_name_and_nothing_else(installed: Path) -> None:
    package = installed / "node_modules" / NAME
    described = json.loads((package / "package.json").read_text(encoding="utf-8"))
    assert "dependencies" not in described
    for entry in described["exports"].values():
        assert all((package / path).is_file() for path in entry.values()), entry
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    others = {name for name in files if not re.fullmatch(r"dist/(react/|http/|voice/)?[\w-]+(\.d\.ts|\.js)", name)}
    assert others == {"package.json", "README.md", "LICENSE"}
    assert not [name for name in files if ".test." in name]


def test_every_entry_imports_where_there_is_no_window(installed: Path, node: Path) -> None:
    script = (
        f"const core = await import('{NAME}'); const react = await import('{NAME}/react');"
        f"const http = await import('{NAME}/http'); const voice = await import('{NAME}/voice');"
        "const sdk = new core.AgentSDK({ projectId: 'p', apiKey: 'pk_1' });"
        "console.log(typeof window, Object.keys(react).sort().join(), typeof http.createClient().chat.chatWithAgent,"
        "sdk.voice() instanceof voice.VoiceClient);"
    )
    assert run(installed, node, "--input-type=module", "-e", script) == (
        "undefined AgentProvider,useAgent,useChat,useVoice function true\n"
    )


def test_what_a_call_is_made_of_is_loaded_by_it_and_finds_its_worklet(installed: Path, node: Path) -> None:
    dist = installed / "node_modules" / NAME / "dist"
    late = set(re.findall(r'import\("\./([\w-]+\.js)"\)', "".join(path.read_text() for path in dist.glob("*.js"))))
    assert len([name for name in late if "voice_start" in (dist / name).read_text()]) == 1
    assert len([name for name in late if "XMLHttpRequest" in (dist / name).read_text()]) == 1
    statics = re.findall(r'^import .*"\./(.+)";$', (dist / "index.js").read_text(), re.M)
    assert late.isdisjoint(statics), "they are no part of the core"
    named = re.findall(
        r'new URL\("\./([\w.-]+)", import\.meta\.url\)', "".join(path.read_text() for path in dist.glob("*.js"))
    )
    assert named == ["voice-worklet.js"]
    assert (dist / "voice-worklet.js").is_file()
    script = (
        f"const {{ AgentSDK }} = await import('{NAME}');"
        "const voice = new AgentSDK({ projectId: 'p', apiKey: 'pk_1', endpoint: 'http://127.0.0.1:1' })"
        ".voice({ audio: { open: () => Promise.reject(new Error('never')) } });"
        "voice.start().catch(({ reason }) => console.log(reason));"
    )
    assert run(installed, node, "--input-type=module", "-e", script) == "unreachable\n"


def test_the_http_client_is_small_and_who_takes_a_part_of_it_bundles_no_other(
    installed: Path, node: Path, tmp_path: Path
) -> None:
    def bundled(named: str) -> bytes:
        script = (
            f"const {{ build }} = await import({json.dumps(str(modules_of(WEB) / 'esbuild' / 'lib' / 'main.js'))});"
            f"await build({{ stdin: {{ contents: `export {{ {named} }} from '{NAME}/http'`, resolveDir: '.' }},"
            "bundle: true, minify: true, format: 'esm', outfile: process.argv[1] });"
        )
        made = tmp_path / f"{len(named)}.js"
        run(installed, node, "--input-type=module", "-e", script, str(made))
        return made.read_bytes()

    whole, part = bundled("createClient, ApiError, userLogin, pageLogin"), bundled("Http, chatApi")
    assert len(gzip.compress(whole, 9)) <= WHOLE_MAX_BYTES
    assert len(gzip.compress(part, 9)) <= PART_MAX_BYTES
    assert b"/api/v1/chat/agent" in part
    assert b"/human-tasks" in whole
    assert b"/human-tasks" not in part
    assert b"localStorage" not in whole, "nothing of the page's client"


def test_the_http_client_needs_no_types_of_a_browser(installed: Path, node: Path) -> None:
    (installed / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    program = installed / "program.ts"
    program.write_text(
        f'import {{ createClient }} from "{NAME}/http";\n'
        "const api = createClient({ apiKey: process.env.ABL_API_KEY, fetch });\n"
        "export const blob: Blob = await api.attachments.getContent("
        '{ projectId: "p", sessionId: "s", attachmentId: "a" });\n',
        encoding="utf-8",
    )
    compiler = modules_of(WEB) / "typescript" / "bin" / "tsc"
    types = ("--module", "nodenext", "--lib", "ES2022", "--types", "node", "--exactOptionalPropertyTypes")
    run(installed, node, compiler, "--strict", "--noEmit", "--target", "ES2022", *types, program)


def test_both_entries_have_one_class_of_errors(installed: Path, node: Path) -> None:
    script = (
        f"const core = await import('{NAME}'); const react = await import('{NAME}/react');"
        "const { createElement } = await import('react');"
        "const { renderToString } = await import(process.argv[1]);"
        "try { renderToString(createElement(react.AgentProvider, { projectId: '', apiKey: '' })) }"
        "catch (error) { console.log(error instanceof core.AgentError, error.reason) }"
    )
    server = str(modules_of(WEB) / "react-dom" / "server.node.js")
    said = run(installed, node, "--input-type=module", "-e", script, server)
    assert said == "true bad_config\n"


@pytest.mark.parametrize("how", ["bundler", "nodenext"])
def test_the_examples_of_its_readme_hold(installed: Path, node: Path, how: str) -> None:
    text = (SDK / "README.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(text)
    assert len(blocks) == text.count("\n```ts") >= 3
    (installed / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    for number, (ending, block) in enumerate(blocks):
        (installed / f"example-{number}.{ending}").write_text(block, encoding="utf-8")
    module = "esnext" if how == "bundler" else "nodenext"
    compiler = modules_of(WEB) / "typescript" / "bin" / "tsc"
    examples = sorted(installed.glob("example-*"))
    run(installed, node, compiler, *STRICT, "--module", module, "--moduleResolution", how, *examples)
