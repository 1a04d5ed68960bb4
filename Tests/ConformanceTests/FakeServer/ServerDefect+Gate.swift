import Foundation

@testable import Conformance

extension ServerDefect {
    static let gate: [ServerDefect] = [
        ServerDefect("gate-opens", "HEAD is denied") { request, response in
            if request.isContent, request.method == "HEAD" { response = .text(403, "") }
        },
        ServerDefect("gate-opens", "a sign-in page") { request, response in
            if request.isContent, response.status == 200 { response.set("Content-Type", "text/html; charset=utf-8") }
        },
        ServerDefect("gate-part", "a partial response without Content-Range") { request, response in
            if response.status == 206 { response.set("Content-Range", nil) }
        },
        ServerDefect("gate-part", "a 206 with the whole file") { request, response in
            if response.status == 206 { response.body = FakePublisherServer.file }
        },
        ServerDefect("gate-part", "a 206 with another range") { request, response in
            if response.status == 206 { response.body = Array(FakePublisherServer.file.suffix(16)) }
        },
        ServerDefect("gate-part", "ranges are ignored") { request, response in
            if response.status == 206 { response.status = 200 }
        },
        ServerDefect("gate-closed", "ranges need no credentials") { request, response in
            if request.isContent, request.header("Authorization") == nil, request.header("Range") != nil {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-403", "a challenge") { request, response in
            if request.isContent, request.header("Authorization") == nil, response.status == 403 {
                response.status = 401
                response.set("WWW-Authenticate", "Basic realm=\"editions\"")
            }
        },
        ServerDefect("gate-403", "a bare 401") { request, response in
            if request.isContent, request.header("Authorization") == nil, response.status == 403 {
                response.status = 401
            }
        },
        ServerDefect("gate-403", "a 403 with a challenge") { request, response in
            if request.isContent, response.status == 403 {
                response.set("WWW-Authenticate", "Basic realm=\"editions\"")
            }
        },
        ServerDefect("gate-403", "a redirect to a sign-in page") { request, response in
            if request.isContent, request.header("Authorization") == nil, response.status == 403 {
                response.status = 302
                response.set("Location", "/login")
            }
        },
        ServerDefect("gate-no-cache", "a cacheable denial") { request, response in
            if request.isContent, response.status == 403 { response.set("Cache-Control", "max-age=60") }
        },
        ServerDefect("gate-leaks", "the entity tag of a denied file") { request, response in
            if request.isContent, response.status == 403 { response.set("ETag", "\"1\"") }
        },
        ServerDefect("gate-wrong-password", "a similar password is accepted") { request, response in
            if request.isContent, request.header("Authorization")?.hasSuffix("Og==") == true {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-edition", "credentials open every edition") { request, response in
            if request.path == "/content/\(FakePublisherServer.first).zip", request.fields.isEmpty,
                response.status == 403,
                let value = request.header("Authorization"), value.count > 60, !ServerDefect.isAltered(value)
            {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-paths", "dot segments are removed after the check") { request, response in
            if request.path == "/content/\(FakePublisherServer.second)/../\(FakePublisherServer.first).zip" {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-privileges", "the packager needs no credentials, as in the historic gate") {
            request, response in
            if request.isContent, request.header("User-Agent") == "PugpigNetwork/Packager" {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-private", "s-maxage for shared caches") { request, response in
            if request.isContent, response.status < 300 { response.set("Cache-Control", "private, s-maxage=60") }
        },
        ServerDefect("gate-private", "public caching") { request, response in
            if request.isContent, response.status < 300 { response.set("Cache-Control", "public, max-age=60") }
        },
    ]

    /// Returns a Boolean value that indicates whether the pair itself is invalid, not only for this edition.
    private static func isAltered(_ authorization: String) -> Bool {
        guard authorization.hasPrefix("Basic "), let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else {
            return true
        }
        let pair = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
        return pair.count != 2
            || ![FakePublisherServer.first, FakePublisherServer.second].contains {
                FakePublisherServer.hash($0, pair[0]).utf8.elementsEqual(pair[1].utf8)
            }
    }
}
