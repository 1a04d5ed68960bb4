import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives
import Testing

@testable import AdminAPI

@Suite("Parts of requests of the admin API") struct AdminRequestTests {
    private static let key = PseudonymKey(Secret("vS3nq0sYb2uT7kDx"))

    @Test("A path has one spelling")
    func paths() {
        let template = PathTemplate("/publications/{publication}/devices/{device}")
        #expect(template.match(path: "/publications/daily/devices/a%20b") == ["publication": "daily", "device": "a b"])
        #expect(template.match(path: "/publications/daily/devices/a%2fb")?["device"] == "a/b")
        for path in [
            "", "/", "publications/daily/devices/a", "/publications/daily/devices/a/", "/publications/daily/devices/",
            "/publications//devices/a", "//publications/daily/devices/a", "/Publications/daily/devices/a",
            "/%70ublications/daily/devices/a", "/publications/daily/devices/%zz", "/publications/daily/devices/%f",
            "/publications/daily/devices/%ff", "/publications/daily/devices/a/b",
        ] { #expect(template.match(path: path[...]) == nil, "\(path)") }
    }

    @Test("A path of a call in the process has its values as one segment each, whatever they contain")
    func inProcess() {
        let template = PathTemplate("/publications/{publication}/devices/{device}")
        for value in ["a b", "a/b", "../x", "%2f", "ä", "?a=1", "#"] {
            let path = template.path(with: ["publication": "daily", "device": value])
            #expect(template.match(path: path[...]) == ["publication": "daily", "device": value])
        }
        let missing = template.path(with: ["publication": "daily"])
        #expect(template.match(path: missing[...]) == nil)
        let call = InProcessCall("any", path: ["device": "x"], query: ["cursor": "a&b=c"], body: ["a": 1], key: "k")
        let request = call.request(of: .post, at: PathTemplate("/devices/{device}"))
        #expect(request.path == "/devices/x" && request.query == "cursor=a%26b%3Dc")
        #expect(request.fields[.contentType] == "application/json" && request.fields[.idempotencyKey] == "k")
    }

    @Test("A query has declared parameters, each once")
    func queries() throws {
        let parameters = [
            AdminProperty("limit", .integer(1...9), "", isRequired: false),
            AdminProperty("name", .string(AdminText(1...9)), "", isRequired: false),
        ]
        let read = try AdminQuery.read("limit=3&name=a%2Bb+c", parameters)
        #expect(read == ["limit": 3, "name": "a+b c"])
        #expect(try AdminQuery.read(nil, parameters).isEmpty)
        for query in [
            "other=1", "limit=1&limit=1", "limit=0", "limit", "limit=", "name=%ff", "name=%00", "Limit=1", "=1",
        ] {
            #expect(throws: AdminProblem.self, "\(query)") { try AdminQuery.read(query, parameters) }
        }
        #expect(throws: AdminProblem.self) {
            try AdminQuery.read("", [AdminProperty("name", .boolean, "", isRequired: true)])
        }
    }

    private func request(
        _ limit: Int = 2, _ cursor: String? = nil, list: [String] = ["listEditions", "/publications/daily/editions"]
    ) throws -> AdminPage.Request {
        try AdminPage.Request(limit: limit, cursor: cursor, list: list, key: Self.key)
    }

    @Test("Pages follow each other without gaps, in both directions")
    func pages() throws {
        let ascending = (0..<7).map { ("\($0)", JSONValue.string("\($0)")) }
        for (items, isAscending) in [(ascending, true), (ascending.reversed(), false)] {
            var found: [JSONValue] = []
            var cursor: String?
            repeat {
                let page = try request(3, cursor).page(
                    ofAll: items.shuffled(), isAscending: isAscending, by: { $0.0 }, json: { $0.1 })
                found += page["items"]?.items ?? []
                cursor = page["next"]?.text
            } while cursor != nil
            #expect(found == items.map(\.1))
        }
    }

    @Test("Only the items of a page become JSON, however many the list has")
    func laziness() throws {
        var made = 0
        let page = try request(60).page(ofAll: (0..<5_000).map(String.init), isAscending: false, by: { $0 }) {
            made += 1
            return .string($0)
        }
        let newest = (0..<5_000).map(String.init).sorted(by: >).prefix(60).map(JSONValue.string)
        #expect(page["items"]?.items == newest && made == 60)
    }

    @Test("A cursor is opaque, and serves its list only")
    func cursors() throws {
        let items = ["ada@example.com", "b", "c"]
        let page = try request(1).page(ofAll: items, by: { $0 }, json: { .string($0) })
        let cursor = try #require(page["next"]?.text)
        #expect(!cursor.contains("ada"))
        #expect(Base64URL.decode(cursor).map { !String(decoding: $0, as: UTF8.self).contains("ada") } == true)
        #expect(try request(1, cursor).after == "ada@example.com")
        for list in [
            ["listEditions", "/publications/weekly/editions"], ["listDevices", "/publications/daily/editions"],
        ] {
            #expect(throws: AdminProblem.self) { try request(1, cursor, list: list) }
        }
        var bytes = Array(cursor.utf8)
        for index in bytes.indices {
            let byte = bytes[index]
            bytes[index] = byte == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: AdminProblem.self) { try request(1, String(decoding: bytes, as: UTF8.self)) }
            bytes[index] = byte
        }
    }
}
