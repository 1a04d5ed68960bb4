import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Process responses") struct ProcessMessagesTests {
    private func found(_ text: String) throws -> ProcessResponse.Found? {
        try ProcessResponse(Array(text.utf8), to: 1).found()
    }

    private func record(_ text: String) throws -> Record? {
        try ProcessResponse(Array(text.utf8), to: 1).record()
    }

    @Test("A response authenticates with key and session, or rejects")
    func authentication() throws {
        #expect(
            try found(#"{"id":1,"authenticated":true,"key":"é","session":"s"}"#)
                == .init(key: "é", session: "s", stored: nil))
        #expect(
            try found(#"{"id":1,"authenticated":true,"key":"1","session":null,"stored":"x","salt":"y"}"#)
                == .init(key: "1", session: nil, stored: StoredProof(value: "x", salt: "y")))
        #expect(try found(#"{"id":1,"authenticated":false}"#) == nil)
        #expect(try found(#"{"id":1,"authenticated":false,"key":null,"error":null}"#) == nil)
    }

    @Test(
        "Pitfall 14: a blank, missing or odd field is an error, never a success",
        arguments: [
            "", " ", "null", "true", "[]", "{}", "\"\"", #"{"id":1}"#, #"{"id":1,"authenticated":null}"#,
            #"{"id":1,"authenticated":"true","key":"a"}"#, #"{"id":1,"authenticated":1,"key":"a"}"#,
            #"{"id":1,"authenticated":"","key":"a"}"#, #"{"id":1,"authenticated":true}"#,
            #"{"id":1,"authenticated":true,"key":null}"#, #"{"id":1,"authenticated":true,"key":""}"#,
            #"{"id":1,"authenticated":true,"key":7}"#, #"{"id":1,"authenticated":true,"key":"a\u0000"}"#,
            #"{"id":1,"authenticated":true,"key":"a","session":""}"#,
            #"{"id":1,"authenticated":true,"key":"a","session":1}"#,
            #"{"id":2,"authenticated":true,"key":"a"}"#, #"{"id":"1","authenticated":true,"key":"a"}"#,
            #"{"authenticated":true,"key":"a"}"#, #"{"id":1,"authenticated":true,"key":"a","error":"x"}"#,
            #"{"id":1,"authenticated":true,"key":"a","error":false}"#, #"{"id":1,"authenticated":true,"key":"a"}x"#,
            "{\"id\":1,\"authenticated\":true,\"key\":\"" + String(repeating: "a", count: 1_025) + "\"}",
        ])
    func rejected(text: String) {
        #expect(throws: ProcessFailure.self) { try found(text) }
    }

    @Test("Records hold strings, numbers, Booleans and lists")
    func records() throws {
        let read = try record(
            #"{"id":1,"record":{"a":"x","b":["y","z"],"c":null,"d":true,"e":12,"f":1.5,"g":[],"h":[1,false]}}"#)
        let fields = [
            "a": ["x"], "b": ["y", "z"], "c": [], "d": ["true"], "e": ["12"], "f": ["1.5"], "g": [],
            "h": ["1", "false"],
        ]
        #expect(read == Record(fields, requiresEveryField: true))
        #expect(try record(#"{"id":1,"record":null}"#) == nil)
        for text in [
            #"{"id":1}"#, #"{"id":1,"record":[]}"#, #"{"id":1,"record":"x"}"#, #"{"id":1,"record":{"a":{}}}"#,
            #"{"id":1,"record":{"a":[null]}}"#, #"{"id":1,"record":{"a":[["x"]]}}"#,
            #"{"id":1,"error":"x","record":{}}"#,
        ] {
            #expect(throws: ProcessFailure.self, "\(text)") { try record(text) }
        }
    }

    @Test("Arbitrary bytes are a response or an error, and never authenticate without saying `true`")
    func hostile() {
        var random = SeededRandom(seed: 3)
        let good = Array(#"{"id":1,"authenticated":true,"key":"reader","session":"s","record":{"a":["b"]}}"#.utf8)
        for round in 0..<10_000 {
            var bytes =
                round.isMultiple(of: 2)
                ? random.hostileBytes(upTo: 60, specialCharacters: #"{}[]":,truefalsn1 idkey"#) : good
            if round % 2 == 1 {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: .min ... .max, using: &random)
                }
            }
            guard let response = try? ProcessResponse(bytes, to: 1) else { continue }
            _ = try? response.record()
            guard let found = try? response.found() else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.contains("true"), !found.key.isEmpty else {
                Issue.record("\(text)")
                return
            }
        }
    }

    @Test("A query is one line for any input")
    func queries() throws {
        var request = ProcessRequest(query: .authenticate)
        request.credentials = ["password": "a\nb\"\\\u{2028}é😀</x>"]
        let line = try request.line(id: 5)
        #expect(!line.contains(0x0A))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        #expect(read["id"] as? Int == 5)
        #expect((read["credentials"] as? [String: String]) == request.credentials)
    }
}

@Suite("Restart backoff") struct RestartBackoffTests {
    private let start: TimeInterval = 1_000

    @Test("The first start is immediate, later ones wait twice as long up to a limit, and a response resets the delay")
    func waits() {
        var backoff = RestartBackoff(minDelay: 1, maxDelay: 10)
        #expect(backoff.mayStart(at: start))
        for wait in [1.0, 2, 4, 8, 10, 10, 10] {
            backoff.fail(at: start)
            #expect(!backoff.mayStart(at: start + wait - 0.01))
            #expect(backoff.mayStart(at: start + wait))
        }
        backoff.succeed()
        #expect(backoff.mayStart(at: start))
        for _ in 0..<5_000 { backoff.fail(at: start) }
        #expect(backoff.mayStart(at: start + 10))
    }
}
