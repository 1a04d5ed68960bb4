import ContentGate
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import FrontDoors

@Suite("Cacheable document")
struct CacheableDocumentTests {
    private let document = CacheableDocument(
        bytes: Array("[]".utf8), contentType: "application/json; charset=utf-8",
        lastModified: Date(timeIntervalSince1970: 1_793_534_400.75))

    private func request(_ method: HTTPRequest.Method = .get, _ headers: HTTPFields = [:]) -> Request {
        Request(
            head: HTTPRequest(method: method, scheme: nil, authority: nil, path: "/shelf", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }

    @Test("carries validators, a length and a cache policy")
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

    @Test("serves HEAD with the same headers and without a body")
    func head() {
        let get = document.response(to: request())
        let head = document.response(to: request(.head))
        #expect(head.headers == get.headers)
        #expect(head.body.contentLength == 0)
    }

    @Test(
        "yields 304 for a matching validator",
        arguments: [
            (HTTPField.Name.ifNoneMatch, "TAG"), (.ifNoneMatch, "\"other\", W/TAG"), (.ifNoneMatch, "*"),
            (.ifModifiedSince, "Sun, 01 Nov 2026 12:00:00 GMT"),
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
        "is sent in full if the validator is different or older",
        arguments: [
            [HTTPField.Name.ifNoneMatch: "\"other\""], [.ifModifiedSince: "Sun, 01 Nov 2026 11:59:59 GMT"],
            // The entity tag takes precedence over the date.
            [.ifNoneMatch: "\"other\"", .ifModifiedSince: "Mon, 02 Nov 2026 12:00:00 GMT"],
        ])
    func modified(fields: [HTTPField.Name: String]) {
        var headers = HTTPFields()
        for (name, value) in fields { headers[name] = value }
        #expect(document.response(to: request(.get, headers)).status == .ok)
    }

    @Test("is sent in full for a later date, because another node may have had older content then")
    func dateOfAnotherNode() {
        // Each node dates a document by the time at which it first had the content. A node that started later with the
        // former catalogue has a later date.
        let former = CacheableDocument(
            bytes: [1], contentType: "text/plain", lastModified: document.lastModified.addingTimeInterval(300))
        let date = former.response(to: request()).headers[.lastModified] ?? ""
        #expect(document.response(to: request(.get, [.ifModifiedSince: date])).status == .ok)
        #expect(former.response(to: request(.get, [.ifModifiedSince: date])).status == .notModified)
    }

    @Test("fails an If-Match condition with another tag")
    func preconditionFailed() {
        let response = document.response(to: request(.get, [.ifMatch: "\"other\""]), vary: "Authorization")
        #expect(response.status == .preconditionFailed)
        // No cache may store the error in place of the document.
        for field in DenialHeaders.all { #expect(response.headers[field.name] == field.value) }
        for name in [HTTPField.Name.eTag, .lastModified, .vary, .contentType] {
            #expect(response.headers[name] == nil)
        }
    }

    @Test("a document of one reader validates by its tag only, because copies of other readers share address and date")
    func reader() {
        let date = document.response(
            to: request(.get, [.ifModifiedSince: "Mon, 02 Nov 2026 12:00:00 GMT"]), caching: .reader)
        #expect(date.status == .ok)
        #expect(date.headers[.lastModified] == nil)
        #expect(date.headers[.cacheControl] == "private, no-cache")
        let tag = document.response(to: request(.get, [.ifNoneMatch: document.etag]), caching: .reader)
        #expect(tag.status == .notModified)
    }

    @Test("has a tag that depends on its bytes only")
    func tags() {
        let same = CacheableDocument(
            bytes: document.bytes, contentType: "text/plain", lastModified: Date(timeIntervalSince1970: 1e12))
        let other = CacheableDocument(bytes: [1], contentType: "text/plain", lastModified: .distantPast)
        #expect(same.etag == document.etag && other.etag != document.etag)
        #expect(same.response(to: request()).headers[.lastModified] == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(other.response(to: request()).headers[.lastModified] == "Thu, 01 Jan 1970 00:00:00 GMT")
    }
}
