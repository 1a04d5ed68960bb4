import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("Request fields")
struct RequestFieldsTests {
    private func form(_ text: String) -> [String: String] {
        Dictionary(FormFields.parse(text.utf8).map { ($0.name, $0.value) }) { $1 }
    }

    private func json(_ text: String) -> [String: String]? {
        FlatJSON.parse(Array(text.utf8)).map { Dictionary($0.map { ($0.name, $0.value) }) { $1 } }
    }

    @Test("Form text is parsed as browsers and PHP do")
    func formText() {
        #expect(form("a=1&b=2") == ["a": "1", "b": "2"])
        #expect(form("a=1&a=2") == ["a": "2"])
        #expect(form("a+b=c+d&e=%2B%26%3D") == ["a b": "c d", "e": "+&="])
        #expect(form("a&b=&=c&&") == ["a": "", "b": ""])
        #expect(form("a=b=c") == ["a": "b=c"])
        #expect(form("a[]=1&a.b=2") == ["a[]": "1", "a.b": "2"])
        #expect(
            form("email=test%test.com&x=%&y=%4&z=%zz%41") == [
                "email": "test%test.com", "x": "%", "y": "%4", "z": "%zzA",
            ])
        #expect(form("a=%C3%A4&b=%C3&c=%FF") == ["a": "ä", "b": "\u{FFFD}", "c": "\u{FFFD}"])
        #expect(form("") == [:])
    }

    @Test("A JSON object of scalars is parsed, with the spelling of its numbers preserved")
    func jsonObject() {
        #expect(
            json(#" {"a":"1" , "b" : 12345678901234567890,"c":-0.5e+3,"d":true,"e":false,"f":null} "#)
                == ["a": "1", "b": "12345678901234567890", "c": "-0.5e+3", "d": "true", "e": "false"])
        #expect(json("{}") == [:])
        #expect(json(#"{"a":"\"\\\/\b\f\n\r\t\u00e4\ud83d\ude00"}"#) == ["a": "\"\\/\u{8}\u{C}\n\r\tä😀"])
        #expect(
            json(#"{"a":"\ud83d","b":"\ude00x","c":"\ud83d\u0041"}"#) == [
                "a": "\u{FFFD}", "b": "\u{FFFD}x", "c": "\u{FFFD}A",
            ])
        #expect(json(#"{"a":"1","a":"2"}"#) == ["a": "2"])
    }

    @Test(
        "A text that is not a flat JSON object is rejected",
        arguments: [
            "", " ", "[]", "1", "null", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":{}}", "{\"a\":[1]}",
            "{\"a\":01}", "{\"a\":+1}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":1e}", "{\"a\":tru}", "{a:1}", "{\"a\":1}x",
            "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12\"}", "{\"a\":\"b}", "{'a':1}", "{\"a\":NaN}",
        ])
    func noJSONObject(text: String) {
        #expect(json(text) == nil)
    }

    @Test(
        "Languages are sorted by the reader's preference",
        arguments: [
            ("en-gb", ["en-gb"]), ("de, en;q=0.5, fr;q=0.9", ["de", "fr", "en"]),
            ("DE-AT;Q=1.000 , de", ["de-at", "de"]),
            ("en;q=0,fr;q=0.001", ["fr"]), ("*, de;q=0.1", ["de"]), ("", []), (",,;q=1,de", ["de"]),
            ("en;q=2, fr;q=x, it;q=0.1234, es;q=1.001, de", ["de"]), ("e n, -de, d_e, ä", []),
            ("a,b,c,d,e,f,g,h,i,j,k,l", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]),
        ])
    func languages(header: String, expected: [String]) {
        #expect(AcceptLanguage.parse(header) == expected)
    }

    @Test("Every parser survives 10,000 random byte strings")
    func randomBytes() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 12, specialCharacters: "%+&=a;,q0.1{}\":\\u\"ntrue-*[]")
            for (name, _) in FormFields.parse(bytes) { #expect(!name.isEmpty) }
            _ = FlatJSON.parse(bytes)
            _ = FlatJSON.parse(Array("{\"".utf8) + bytes)
            #expect(AcceptLanguage.parse(String(decoding: bytes, as: UTF8.self)).count <= 10)
        }
    }

    private func post(
        _ body: String, type: String? = "application/x-www-form-urlencoded", query: String = "",
        headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        try await post(Array(body.utf8), type: type, query: query, headers: headers)
    }

    private func post(
        _ body: [UInt8], type: String?, query: String = "", headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.contentType] = type
        let all = headers
        let router = Router()
        router.post("/echo") { request, _ -> Response in
            do {
                let fields = try await RequestFields.read(request)
                return Response(
                    status: .ok,
                    body: .init(
                        byteBuffer: ByteBuffer(
                            string: fields.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&"))))
            } catch let rejection as RequestRejection {
                return PugpigResponse.rejected(rejection)
            }
        }
        return try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/echo" + query, method: .post, headers: all, body: ByteBuffer(bytes: body))
        }
    }

    @Test("The body precedes the query for a shared field, and the other fields are merged")
    func precedence() async throws {
        let form = try await post("a=body&b=2", query: "?a=query&c=3")
        #expect(String(buffer: form.body) == "a=body&b=2&c=3")
        let json = try await post(#"{"a":"body"}"#, type: "Application/JSON ; charset=utf-8", query: "?a=query&c=3")
        #expect(String(buffer: json.body) == "a=body&c=3")
        let untyped = try await post("a=body", type: nil)
        #expect(String(buffer: untyped.body) == "a=body")
        let empty = try await post("", type: "image/png", query: "?a=query")
        #expect(String(buffer: empty.body) == "a=query")
    }

    @Test(
        "Text that is not UTF-8 is rejected everywhere, because two names could become one",
        arguments: [
            "a=J%F6rg", "a=%C3", "a=%FF&b=1", "%FF=1", "a=%AC", "a=%EF%BF%BD", "a=%account[username]%", "a=%ED%A0%80",
            "a=%C0%AF", "a=%F4%90%80%80",
        ])
    func noText(form: String) async throws {
        #expect(try await post(form).status == .badRequest)
        #expect(try await post("b=2", query: "?\(form)").status == .badRequest)
        #expect(throws: RequestRejection.self) { try RequestFields.read(query: form[...].utf8) }
    }

    @Test("Invalid UTF-8 in a form or in JSON is rejected, and so is a lone surrogate")
    func noTextInBodies() async throws {
        let form = "application/x-www-form-urlencoded"
        #expect(try await post(Array("a=J".utf8) + [0xF6], type: form).status == .badRequest)
        let json = "application/json"
        #expect(try await post(Array(#"{"a":"J"#.utf8) + [0xF6] + Array(#""}"#.utf8), type: json).status == .badRequest)
        #expect(try await post(#"{"a":"\ud83d"}"#, type: json).status == .badRequest)
        #expect(try await post(#"{"\ude00":"a"}"#, type: json).status == .badRequest)
        #expect(try await post(#"{"a":"\ud83d\ude00"}"#, type: json).status == .ok)
    }

    @Test("A malformed percent escape is preserved literally if the result is text")
    func malformedEscapes() async throws {
        let response = try await post("email=test%test.com&x=%&y=%4&z=%zz%41&u=%C3%B6")
        #expect(response.status == .ok)
        #expect(String(buffer: response.body) == "email=test%test.com&u=ö&x=%&y=%4&z=%zzA")
    }

    @Test("Requests at the limits are accepted, and requests above them rejected")
    func limits() async throws {
        func status(_ body: String, _ query: String = "") async throws -> Int {
            try await post(body, query: query).status.code
        }
        let fields = { (count: Int) in (0..<count).map { "f\($0)=1" }.joined(separator: "&") }
        #expect(try await status(fields(100)) == 200)
        #expect(try await status(fields(101)) == 400)
        #expect(try await status(fields(60), "?" + fields(41)) == 400)
        #expect(try await status(String(repeating: "n", count: 256) + "=1") == 200)
        #expect(try await status(String(repeating: "n", count: 257) + "=1") == 400)
        #expect(try await status("v=" + String(repeating: "v", count: 65_536)) == 200)
        #expect(try await status("v=" + String(repeating: "v", count: 65_537)) == 400)
        #expect(try await status("v=" + String(repeating: "%41", count: 65_536)) == 200)
        #expect(try await status(String(repeating: "&", count: 262_144)) == 200)
        #expect(try await status(String(repeating: "&", count: 262_145)) == 413)
    }

    @Test("Other content types and compressed bodies are rejected")
    func types() async throws {
        for type in ["multipart/form-data; boundary=x", "text/plain", "text/xml", "", "application/jsonx"] {
            #expect(try await post("a=1", type: type).status == .unsupportedMediaType)
        }
        #expect(try await post("a=1", headers: [.contentEncoding: "gzip"]).status == .unsupportedMediaType)
        #expect(try await post(#"{"a":{"b":1}}"#, type: "application/json").status == .badRequest)
    }
}
