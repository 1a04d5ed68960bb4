import ContentGate
import Foundation
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite("File server")
struct FileServerTests {
    private static func body(_ size: Int) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(size))
        return random.bytes(size)
    }

    @Test("serves GET and HEAD of a whole file with its type and cache policy")
    func whole() async throws {
        let tree = try ContentTree()
        let content = Self.body(600_000)
        try tree.write("ed-1.zip", content)
        let fixture = try GateFixture(root: tree.root)
        let authorization = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withContentServer(fixture) { client in
            let get = try await client.get("/content/daily/ed-1.zip", [authorization])
            #expect(get.status == 200 && get.body == content)
            #expect(get["content-type"] == "application/zip" && get["content-length"] == "600000")
            #expect(get["accept-ranges"] == "bytes" && get["x-content-type-options"] == "nosniff")
            #expect(get["cache-control"] == "private, max-age=3600" && get["vary"] == "Authorization")
            let head = try await client.get("/content/daily/ed-1.zip", [authorization], method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty && head["content-length"] == "600000")
            #expect(head["etag"] == get["etag"] && head["last-modified"] == get["last-modified"])
        }
    }

    @Test("sets content types, serves empty files, and yields 404 for anything but regular files")
    func kinds() async throws {
        let tree = try ContentTree()
        for name in ["a.html", "a.HTML", "a.pugpigpkg", "a.woff2", "a", "a.xyz", "empty.css"] {
            try tree.write("ed-free/" + name, name == "empty.css" ? "" : name)
        }
        try tree.write("ed-free/sub/x.txt", "x")
        #expect(mkfifo(tree.path("ed-free/pipe"), 0o600) == 0)
        let fixture = try GateFixture(root: tree.root)
        try await withContentServer(fixture) { client in
            for (name, type) in [
                ("a.html", "text/html; charset=utf-8"), ("a.HTML", "text/html; charset=utf-8"),
                ("a.pugpigpkg", "application/pugpigpkg+xml"), ("a.woff2", "font/woff2"),
                ("a", "application/octet-stream"), ("a.xyz", "application/octet-stream"),
            ] {
                let response = try await client.get("/content/daily/ed-free/" + name)
                #expect(response.status == 200 && response.text == name && response["content-type"] == type)
            }
            let empty = try await client.get("/content/daily/ed-free/empty.css", ["Range: bytes=-0"])
            #expect(empty.status == 416 && empty["content-range"] == "bytes */0")
            #expect(try await client.get("/content/daily/ed-free/empty.css")["content-length"] == "0")
            for name in ["sub", "sub/", "pipe", "none", "a/b", "a.html/", "", "sub/none/x"] {
                let response = try await client.get("/content/daily/ed-free/" + name)
                #expect(response.status == 404 && response.body.isEmpty && response["etag"] == nil, "\(name)")
            }
        }
    }

    @Test("serves ranges that reassemble to the file, wherever it is cut")
    func reassembly() async throws {
        let tree = try ContentTree()
        let content = Self.body(700_001)
        try tree.write("ed-1.zip", content)
        let fixture = try GateFixture(root: tree.root)
        let authorization = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withContentServer(fixture) { client in
            var random = SeededRandom(seed: 9)
            for _ in 0..<4 {
                var whole: [UInt8] = []
                while whole.count < content.count {
                    let end = whole.count + Int.random(in: 0...300_000, using: &random)
                    let response = try await client.get(
                        "/content/daily/ed-1.zip", [authorization, "Range: bytes=\(whole.count)-\(end)"])
                    let last = min(end, content.count - 1)
                    #expect(response.status == 206)
                    #expect(response["content-range"] == "bytes \(whole.count)-\(last)/\(content.count)")
                    #expect(response.body.count == last - whole.count + 1)
                    whole += response.body
                    guard !response.body.isEmpty else { return }
                }
                #expect(whole == content)
            }
        }
    }

    @Test("a copy that keeps the time of a file has its tag, and a replacement of the same size has another one")
    func tags() async throws {
        let (tree, other) = (try ContentTree(), try ContentTree())
        let name = "ed-free/a.txt"
        try tree.write(name, "0123456789")
        try other.write(name, "0123456789")
        let (path, copy) = (tree.path(name), other.path(name))
        let changed = Date(timeIntervalSince1970: 1_790_000_000.25)
        for path in [path, copy] {
            try FileManager.default.setAttributes([.modificationDate: changed], ofItemAtPath: path)
        }
        func tag(_ tree: ContentTree) async throws -> String {
            let found = Mutex("")
            try await withContentServer(try GateFixture(root: tree.root)) { client in
                let tag = try #require(try await client.get("/content/daily/\(name)")["etag"])
                found.withLock { $0 = tag }
            }
            return found.withLock { $0 }
        }
        let first = try await tag(tree)
        #expect(try tree.inode(name) != other.inode(name))
        #expect(try await tag(other) == first)
        try tree.write(name, "9876543210")
        try FileManager.default.setAttributes(
            [.modificationDate: changed.addingTimeInterval(0.25)], ofItemAtPath: path)
        #expect(try await tag(tree) != first)
    }

    @Test("evaluates conditions: 304, 412, and ranges of unchanged files only")
    func conditions() async throws {
        let tree = try ContentTree()
        try tree.write("ed-free/a.txt", "0123456789")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_790_000_000)], ofItemAtPath: tree.path("ed-free/a.txt"))
        let fixture = try GateFixture(root: tree.root)
        try await withContentServer(fixture) { client in
            let target = "/content/daily/ed-free/a.txt"
            let first = try await client.get(target)
            let (tag, date) = (try #require(first["etag"]), try #require(first["last-modified"]))
            #expect(date == "Mon, 21 Sep 2026 14:13:20 GMT")
            let (before, after) = ("Sun, 20 Sep 2026 14:13:20 GMT", "Tue, 22 Sep 2026 14:13:20 GMT")
            for (headers, status) in [
                (["If-None-Match: \(tag)"], 304), (["If-None-Match: \"a,b\", W/\(tag)"], 304),
                (["If-None-Match: *"], 304), (["If-None-Match: \"x\""], 200),
                (["If-None-Match: \"x\"", "If-Modified-Since: \(after)"], 200), (["If-Modified-Since: \(date)"], 304),
                (["If-Modified-Since: \(after)"], 304), (["If-Modified-Since: \(before)"], 200),
                (["If-Modified-Since: yesterday"], 200), (["If-Match: \(tag)"], 200), (["If-Match: *"], 200),
                (["If-Match: \"x\""], 412), (["If-Match: W/\(tag)"], 412), (["If-Unmodified-Since: \(before)"], 412),
                (["If-Unmodified-Since: \(date)"], 200), (["If-Match: \(tag)", "If-Unmodified-Since: \(before)"], 200),
                (["Range: bytes=2-3", "If-Range: \(tag)"], 206), (["Range: bytes=2-3", "If-Range: \"x\""], 200),
                (["Range: bytes=2-3", "If-Range: W/\(tag)"], 200), (["Range: bytes=2-3", "If-Range: \(date)"], 206),
                (["Range: bytes=2-3", "If-Range: \(after)"], 200), (["Range: bytes=20-"], 416),
                (["Range: bytes=2-3", "Range: bytes=4-5"], 200), (["Range: bytes=2-3", "If-None-Match: \(tag)"], 304),
            ] {
                let response = try await client.get(target, headers)
                #expect(response.status == status, "\(headers)")
                if [200, 206, 304].contains(status) {
                    #expect(response["cache-control"] == "private, max-age=3600", "\(headers)")
                } else {
                    // No cache may store the error in place of the file.
                    #expect(response["cache-control"] == DenialHeaders.all[.cacheControl], "\(headers)")
                    for name in ["etag", "last-modified", "accept-ranges", "content-type"] {
                        #expect(response[name] == nil, "\(headers)")
                    }
                    #expect(response["content-range"] == (status == 416 ? "bytes */10" : nil), "\(headers)")
                }
                switch status {
                case 304: #expect(response.body.isEmpty && response["etag"] == tag && response["content-length"] == nil)
                case 206: #expect(response.text == "23")
                case 200: #expect(response.text == "0123456789")
                default: #expect(response.body.isEmpty)
                }
            }
        }
    }

    @Test("Pitfall 16: forbids caching of denials, sends no challenge, and marks content as private")
    func caching() async throws {
        let tree = try ContentTree()
        try tree.write("ed-1/a.txt", "secret")
        let fixture = try GateFixture(root: tree.root)
        let good = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withContentServer(fixture) { client in
            for (target, headers, status) in [
                ("/content/daily/ed-1/a.txt", [], 403), ("/content/daily/ed-1/none", [], 403),
                ("/content/daily/ed-1/none", [good], 404), ("/elsewhere", [good], 403),
                ("/content/daily/ed-1/a.txt", [good, good], 400), ("/content/daily/ed-2/a.txt", [good], 403),
            ] {
                for method in ["GET", "HEAD"] {
                    let response = try await client.get(target, headers, method: method)
                    #expect(response.status == status && response.body.isEmpty)
                    #expect(
                        response["cache-control"] == "no-store, no-cache, must-revalidate, private, max-age=0")
                    #expect(response["pragma"] == "no-cache" && response["expires"] == "0")
                    for name in ["www-authenticate", "etag", "last-modified", "set-cookie"] {
                        #expect(response[name] == nil)
                    }
                }
            }
            #expect(try await client.get("/content/daily/ed-1/a.txt", [good], method: "POST").status == 403)
        }
    }

    @Test("Pitfall 17: reveals nothing about a file without credentials, whatever the headers")
    func leaks() async throws {
        let tree = try ContentTree()
        try tree.write("ed-1.zip", Self.body(5_000))
        let fixture = try GateFixture(root: tree.root)
        let good = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withContentServer(fixture) { client in
            let target = "/content/daily/ed-1.zip"
            let tag = try #require(try await client.get(target, [good])["etag"])
            func head(_ response: RawResponse) -> [String] {
                response.headers.filter { $0.name != "date" }.map { "\($0.name): \($0.value)" }
            }
            let plain = head(try await client.get("/content/daily/nothing-here.zip"))
            for headers in [
                [], ["Range: bytes=0-0"], ["Range: bytes=-0"], ["Range: bytes=9223372036854775808-"],
                ["Range: bytes=\((0..<100).map { "\($0)-" }.joined(separator: ","))"], ["If-None-Match: \(tag)"],
                ["If-None-Match: *"], ["If-Match: \"x\""], ["Range: bytes=1-", "If-Range: \(tag)"],
                ["If-Modified-Since: Tue, 22 Sep 2037 14:13:20 GMT"],
            ] {
                for method in ["GET", "HEAD"] {
                    let response = try await client.get(target, headers, method: method)
                    #expect(response.status == 403 && response.body.isEmpty)
                    #expect(head(response) == plain)
                }
            }
        }
    }

    @Test("Pitfall 17: finishes the old version of a replaced file, and aborts if the file is overwritten")
    func swapping() async throws {
        let tree = try ContentTree()
        let (old, new) = (Self.body(24_000_000), [UInt8](repeating: 0xAA, count: 24_000_000))
        try tree.write("ed-1.zip", old)
        let fixture = try GateFixture(root: tree.root)
        let head = [
            "GET /content/daily/ed-1.zip HTTP/1.1", "Host: x", "Connection: close",
            "Authorization: \(try fixture.daily.basic("ed-1"))", "", "",
        ].joined(separator: "\r\n")
        try await withContentServer(fixture) { client in
            let swapped = try await client.exchange(Array(head.utf8), pausingAfter: 1_000) {
                try tree.write("new.zip", new)
                guard rename(tree.path("new.zip"), tree.path("ed-1.zip")) == 0 else { throw RawResponse.Malformed() }
            }
            #expect(try RawResponse(swapped).body == old)

            try tree.write("ed-1.zip", old)
            let truncated = try await client.exchange(Array(head.utf8), pausingAfter: 1_000) {
                guard truncate(tree.path("ed-1.zip"), 100) == 0 else { throw RawResponse.Malformed() }
            }
            let partial = try RawResponse(truncated)
            #expect(partial["content-length"] == "24000000")
            #expect(partial.body.count < old.count && old.starts(with: partial.body))

            try tree.write("ed-1.zip", old)
            let overwritten = try await client.exchange(Array(head.utf8), pausingAfter: 1_000) {
                let file = try FileHandle(forWritingTo: URL(filePath: tree.path("ed-1.zip")))
                try file.write(contentsOf: Data(new))
                try file.close()
            }
            let mixed = try RawResponse(overwritten).body
            #expect(mixed.count < old.count && old.starts(with: mixed))
        }
    }

    @Test("Pitfall 17: lets expired credentials finish a download but never start one")
    func resumption() async throws {
        let tree = try ContentTree()
        try tree.write("ed-1.zip", "0123456789")
        let fixture = try GateFixture(root: tree.root)
        let good = "Authorization: " + (try fixture.daily.basic("ed-1"))
        let reasons = Mutex<[String]>([])
        try await withContentServer(fixture) { event in
            if case .denied(let denial) = event.decision { reasons.withLock { $0.append("\(denial.reason)") } }
        } _: { client in
            let target = "/content/daily/ed-1.zip"
            let tag = try #require(try await client.get(target, [good])["etag"])
            fixture.clock.advance(by: 700)
            for headers in [["Range: bytes=4-"], ["Range: bytes=4-", "If-Range: \(tag)"]] {
                let response = try await client.get(target, [good] + headers)
                #expect(response.status == 206 && response.text == "456789")
            }
            for (form, part) in RangeForm.continuing(of: 10, tag: tag) {
                let response = try await client.get(target, [good] + form.lines)
                #expect(
                    response.status == 206
                        && response.text
                            == String("0123456789".utf8.prefix(part.upperBound + 1).dropFirst(part.lowerBound)),
                    "\(form)")
            }
            for form in RangeForm.beginning(of: 10, tag: tag) {
                let response = try await client.get(target, [good] + form.lines, method: form.method)
                #expect(response.status == 403 && response.body.isEmpty && response["etag"] == nil, "\(form)")
            }
            #expect(try await client.get("/content/daily/ed-2.zip", [good, "Range: bytes=4-"]).status == 403)
            fixture.clock.advance(by: 3_600)
            #expect(try await client.get(target, [good, "Range: bytes=4-"]).status == 403)
        }
        #expect(Set(reasons.withLock { $0 }) == ["expired", "resumption_from_start", "wrong_password"])
    }

    @Test("closes the descriptors of stalled and aborted downloads")
    func descriptors() async throws {
        let tree = try ContentTree()
        try tree.write("ed-1.zip", Self.body(8_000_000))
        let fixture = try GateFixture(root: tree.root)
        let head = [
            "GET /content/daily/ed-1.zip HTTP/1.1", "Host: x", "Authorization: \(try fixture.daily.basic("ed-1"))", "",
            "",
        ].joined(separator: "\r\n")
        try await withContentServer(fixture) { client in
            for _ in 0..<20 {
                try await client.abandon(Array(head.utf8), after: 1_000)
            }
        }
        // The server has stopped, and with it every response in progress. A thread pool closes the files, so this can
        // take a moment.
        let name = tree.path("ed-1.zip")
        let areClosed = try await eventually {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").allSatisfy {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) != name
            }
        }
        #expect(areClosed)
    }
}

extension RangeForm {
    fileprivate var lines: [String] { fields.map { "\($0.0): \($0.1)" } }
}
