"""Opens HAR files in the network panel of Chromium's developer tools, as a person does by its import button, and compares what the
panel then has of each exchange with the file.

    open_har.py CHROMIUM PICTURES FILE.har …     PICTURES: a folder for a picture of each
"""

import asyncio
import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

import websockets

# In the page of the developer tools, whose modules the browser serves. Beside the panel's log it reads the lines that are shown.
IMPORT = """(async () => {
    const load = path => import(new URL(path, location.origin + '/devtools/'))
    const [Network, UI, Logs] = await Promise.all(
        ['panels/network/network.js', 'ui/legacy/legacy.js', 'models/logs/logs.js'].map(load))
    await UI.ViewManager.ViewManager.instance().showView('network')
    const panel = Network.NetworkPanel.NetworkPanel.instance()
    await panel.networkLogView.onLoadFromFile(new File([TEXT], 'cassette.har', { type: 'application/json' }))
    const requests = Logs.NetworkLog.NetworkLog.instance().requests()
    const shown = () => {
        const found = []
        const look = root => {
            for (const row of root.querySelectorAll('tr.data-grid-data-grid-node')) found.push(row.textContent.trim())
            for (const element of root.querySelectorAll('*')) if (element.shadowRoot) look(element.shadowRoot)
        }
        look(document)
        return found.filter(text => text)
    }
    for (let i = 0; i < 200 && shown().length < requests.length; i++) await new Promise(done => setTimeout(done, 50))
    const exchanges = []
    for (const request of requests) {
        const content = await request.requestContentData()
        exchanges.push({
            method: request.requestMethod, url: request.url(), status: request.statusCode, mediaType: request.mimeType,
            start: request.startTime, time: request.duration * 1000, sent: await request.requestFormData(),
            body: content.error ? null : content.isTextContent ? content.text : content.base64,
            fields: request.responseHeaders.map(field => [field.name, field.value]),
        })
    }
    const rows = shown()
    if (requests.length) await panel.selectAndActivateRequest(requests[requests.length - 1], 'timing')
    return { exchanges, rows }
})()"""


class Target:
    """A page, or the browser itself, over the protocol of the developer tools."""

    def __init__(self, socket):
        self.socket = socket
        self.number = 0

    async def call(self, method, **parameters):
        self.number += 1
        await self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while (answer := json.loads(await self.socket.recv())).get("id") != self.number:
            pass
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    async def run(self, script):
        result = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, json.dumps(result["exceptionDetails"])[:2000]
        return result["result"].get("value")


def complaints(entries, found):
    if len(found["exchanges"]) != len(entries):
        yield f"the panel has {len(found['exchanges'])} exchanges of {len(entries)}"
    if len(found["rows"]) < len(entries):
        yield f"the panel shows {len(found['rows'])} lines for {len(entries)} exchanges"
    ordered = sorted(entries, key=lambda entry: entry["startedDateTime"])
    for entry, shown in zip(ordered, sorted(found["exchanges"], key=lambda shown: shown["start"])):
        request, response = entry["request"], entry["response"]
        content = response["content"]
        wanted = {
            "method": request["method"], "url": request["url"], "status": response["status"],
            "fields": [[field["name"], field["value"]] for field in response["headers"]],
        }
        # Where a response has no type, the file has to have one that is unknown (HAR 1.2, content), and the panel has none.
        if content["mimeType"] != "x-unknown":
            wanted["mediaType"] = content["mimeType"].split(";")[0].strip()
        if "text" in request.get("postData", {}):
            wanted["sent"] = request["postData"]["text"]
        if "text" in content:
            wanted["body"] = content["text"]
        for name, value in wanted.items():
            if shown.get(name) != value:
                yield f"{request['method']} {request['url']}: {name} is {str(shown.get(name))[:200]}, and not {str(value)[:200]}"
        if abs(shown["time"] - entry["time"]) > 1:
            yield f"{request['method']} {request['url']}: took {shown['time']} ms, and not {entry['time']}"


async def look(port, browser, page, file, pictures):
    text = pathlib.Path(file).read_text()
    address = f"http://127.0.0.1:{port}/devtools/devtools_app.html?ws=127.0.0.1:{port}/devtools/page/{page}&panel=network"
    target = (await browser.call("Target.createTarget", url=address))["targetId"]
    async with websockets.connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None) as socket:
        tools = Target(socket)
        for _ in range(600):
            if await tools.run("document.readyState === 'complete' && document.body.childElementCount > 0"):
                break
            await asyncio.sleep(0.05)
        found = await tools.run(IMPORT.replace("TEXT", json.dumps(text)))
        await asyncio.sleep(0.5)
        picture = await tools.call("Page.captureScreenshot", format="png")
        (pictures / (pathlib.Path(file).stem + ".png")).write_bytes(base64.b64decode(picture["data"]))
    await browser.call("Target.closeTarget", targetId=target)
    entries = json.loads(text)["log"]["entries"]
    problems = list(complaints(entries, found))
    for problem in problems:
        print(f"{file}: {problem}", file=sys.stderr)
    print(f"{file}: the network panel has {len(found['exchanges'])} exchanges, {len(problems)} problems")
    return not problems


async def open_all(process, folder, files, pictures):
    port_file = pathlib.Path(folder) / "DevToolsActivePort"
    while not (port_file.exists() and "\n" in port_file.read_text()):
        assert process.poll() is None, "Chromium does not start"
        await asyncio.sleep(0.1)
    port, path = port_file.read_text().split("\n")[:2]
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
        page = next(target["id"] for target in json.load(answer) if target["type"] == "page")
    async with websockets.connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as socket:
        return all([await look(port, Target(socket), page, file, pictures) for file in files])


def main():
    chromium, pictures, *files = sys.argv[1:]
    pathlib.Path(pictures).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--window-size=1400,700",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            fine = asyncio.run(asyncio.wait_for(open_all(process, folder, files, pathlib.Path(pictures)), 300))
        finally:
            process.terminate()
            process.wait()
    sys.exit(not fine)


main()
