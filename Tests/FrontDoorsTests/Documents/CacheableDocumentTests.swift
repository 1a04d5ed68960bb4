import ContentGate
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import FrontDoors

@Suite("A document that caches may keep")
struct CacheableDocumentTests {
    private let document = CacheableDocument(
        bytes: Array("[]".utf8), contentType: "application/json; charset=utf-8",
        lastModified: Date(timeIntervalSince1970: 1_793_534_400.75))

    private func request(_ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]) -> Request {
        Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: "/shelf", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("carries its validators, its length and what caches may do")
    func headers() {
        let response = document.response(to: request(), vary: "Authorization")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "application/json; charset=utf-8")
        #expect(response.headers[.contentLength] == "2")
        #expect(response.headers[.cacheControl] == "public, max-age=60")
        #expect(response.headers[.vary] == "Authorization")
        #expect(response.headers[.lastModified] == "Sun, 01 Nov 2026 12:00:00 GMT")
        #expect(response.headers[.eTag] == document.etag)
        #expect(document.etag.count == 34 && !document.etag.hasPrefix("W/"))
    }

    @Test("answers HEAD with the same headers and without a body")
    func head() {
        let get = document.response(to: request())
        let head = document.response(to: request(.head))
        #expect(head.headers == get.headers)
        #expect(head.body.contentLength == 0)
    }

    @Test(
        "is not sent again to whoever has it",
        arguments: [
            (HTTPField.Name.ifNoneMatch, "TAG"), (.ifNoneMatch, "\"other\", W/TAG"), (.ifNoneMatch, "*"),
            (.ifModifiedSince, "Sun, 01 Nov 2026 12:00:00 GMT"), (.ifModifiedSince, "Mon, 02 Nov 2026 12:00:00 GMT"),
        ])
    func notModified(name: HTTPField.Name, value: String) {
        let value = value.replacing("TAG", with: document.etag)
        let response = document.response(to: request(.get, [name: value]))
        #expect(response.status == .notModified)
        #expect(response.headers[.eTag] == document.etag)
        #expect(response.headers[.cacheControl] == "public, max-age=60")
        #expect(response.headers[.contentType] == nil)
    }

    @Test(
        "is sent to whoever has another or an older one",
        arguments: [
            [HTTPField.Name.ifNoneMatch: "\"other\""], [.ifModifiedSince: "Sun, 01 Nov 2026 11:59:59 GMT"],
            // The tag counts where there are both.
            [.ifNoneMatch: "\"other\"", .ifModifiedSince: "Mon, 02 Nov 2026 12:00:00 GMT"],
        ])
    func modified(fields: [HTTPField.Name: String]) {
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        #expect(document.response(to: request(.get, headers)).status == .ok)
    }

    @Test("fails a condition of somebody who wants exactly another one")
    func preconditionFailed() {
        let response = document.response(to: request(.get, [.ifMatch: "\"other\""]), vary: "Authorization")
        #expect(response.status == .preconditionFailed)
        // No cache keeps it in the document's place.
        for field in RefusalHeaders.all { #expect(response.headers[field.name] == field.value) }
        for name in [HTTPField.Name.eTag, .lastModified, .vary, .contentType] {
            #expect(response.headers[name] == nil)
        }
    }

    @Test("of one reader is known by its tag alone, because anybody's has the same address and may have the same date")
    func reader() {
        let date = document.response(
            to: request(.get, [.ifModifiedSince: "Mon, 02 Nov 2026 12:00:00 GMT"]), caching: .reader)
        #expect(date.status == .ok)
        #expect(date.headers[.lastModified] == nil)
        #expect(date.headers[.cacheControl] == "private, no-cache")
        let tag = document.response(to: request(.get, [.ifNoneMatch: document.etag]), caching: .reader)
        #expect(tag.status == .notModified)
    }

    @Test("has another tag with other bytes, and the same with the same")
    func tags() {
        let same = CacheableDocument(
            bytes: document.bytes, contentType: "text/plain", lastModified: Date(timeIntervalSince1970: 1e12))
        let other = CacheableDocument(bytes: [1], contentType: "text/plain", lastModified: .distantPast)
        #expect(same.etag == document.etag && other.etag != document.etag)
        #expect(same.response(to: request()).headers[.lastModified] == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(other.response(to: request()).headers[.lastModified] == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
