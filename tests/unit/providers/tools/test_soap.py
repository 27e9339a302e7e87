"""SOAP over HTTP."""

from __future__ import annotations

import pytest

from providers.tools.http_tool import HttpTool
from tests.support.http_tool_calls import call
from tests.support.stub_endpoint import Answer

pytestmark = pytest.mark.anyio


def soap_answer(content: str, status: int = 200) -> Answer:
    text = f'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{content}</s:Body></s:Envelope>'
    return Answer(status, text.encode(), {"Content-Type": "text/xml"})


async def test_soap_sends_an_envelope_and_reads_the_body(runner: HttpTool) -> None:
    binding = {"protocol": "soap", "soap_action": "urn:parcels#Find", "body_template": "<Find><c>{{code}}</c></Find>"}
    answer = soap_answer("<FindResult><hub>A&amp;B</hub><at>1</at><at>2</at></FindResult>")
    result, asked = await call(runner, binding, {"code": "<1>"}, answer)
    assert result.value == {"FindResult": {"hub": "A&B", "at": ["1", "2"]}}
    assert (asked[0].method, asked[0].headers["soapaction"]) == ("POST", '"urn:parcels#Find"')
    assert "<soap:Body><Find><c>&lt;1&gt;</c></Find></soap:Body>" in asked[0].body.decode()


async def test_soap_without_a_template_names_the_operation(runner: HttpTool) -> None:
    binding = {"protocol": "soap", "soap_version": "1.2", "soap_action": "urn:parcels#Find"}
    _, asked = await call(runner, binding, {"code": "A&1"}, soap_answer("<x/>"))
    assert "<Find><code>A&amp;1</code></Find>" in asked[0].body.decode()
    assert asked[0].headers["content-type"] == 'application/soap+xml; charset=utf-8; action="urn:parcels#Find"'


FAULT = "<s:Fault><faultcode>s:Client</faultcode><faultstring>no such parcel</faultstring></s:Fault>"


async def test_a_soap_fault_is_an_error_or_data(runner: HttpTool) -> None:
    result, _ = await call(runner, {"protocol": "soap"}, None, soap_answer(FAULT, 500))
    assert (result.error_kind, result.error_code, result.error_message) == ("api_error", "s:Client", "no such parcel")
    result, _ = await call(runner, {"protocol": "soap", "on_soap_fault": "data"}, None, soap_answer(FAULT, 500))
    assert result.value == {"faultcode": "s:Client", "faultstring": "no such parcel"}


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
        '<?xml version="1.0" encoding="utf-16"?><!DOCTYPE x [<!ENTITY a "b">]><x/>'.encode("utf-16"),
        b"<x/>", b"", b"no xml", b"<a>" * 10_000,
        b'<s:Envelope xmlns:s="e"><s:Body>' + b"<a>" * 100 + b"</a>" * 100 + b"</s:Body></s:Envelope>",
    ],
)  # fmt: skip
async def test_xml_that_is_no_plain_envelope_is_refused(runner: HttpTool, body: bytes) -> None:
    result, _ = await call(runner, {"protocol": "soap"}, None, Answer(body=body))
    assert (result.error_kind, result.error_code) == ("tool_error", "INVALID_ANSWER")
