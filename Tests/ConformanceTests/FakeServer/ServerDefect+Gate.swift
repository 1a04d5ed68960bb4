import Foundation

@testable import Conformance

extension ServerDefect {
    static let gate: [ServerDefect] = [
        ServerDefect("gate-opens", "nobody gets in by HEAD") { request, response in
            if request.isContent, request.method == "HEAD" { response = .text(403, "") }
        },
        ServerDefect("gate-opens", "a page to sign in at") { request, response in
            if request.isContent, response.status == 200 { response.set("Content-Type", "text/html; charset=utf-8") }
        },
        ServerDefect("gate-part", "a part that does not say which") { request, response in
            if response.status == 206 { response.set("Content-Range", nil) }
        },
        ServerDefect("gate-part", "the whole for a part") { request, response in
            if response.status == 206 { response.body = FakePublisherServer.file }
        },
        ServerDefect("gate-part", "another part") { request, response in
            if response.status == 206 { response.body = Array(FakePublisherServer.file.suffix(16)) }
        },
        ServerDefect("gate-part", "always the whole") { request, response in
            if response.status == 206 { response.status = 200 }
        },
        ServerDefect("gate-closed", "parts are free") { request, response in
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
        ServerDefect("gate-403", "a challenge beside the 403") { request, response in
            if request.isContent, response.status == 403 {
                response.set("WWW-Authenticate", "Basic realm=\"editions\"")
            }
        },
        ServerDefect("gate-403", "a redirect to a page to sign in at") { request, response in
            if request.isContent, request.header("Authorization") == nil, response.status == 403 {
                response.status = 302
                response.set("Location", "/login")
            }
        },
        ServerDefect("gate-no-cache", "a refusal that may be kept") { request, response in
            if request.isContent, response.status == 403 { response.set("Cache-Control", "max-age=60") }
        },
        ServerDefect("gate-leaks", "the tag of a file that is refused") { request, response in
            if request.isContent, response.status == 403 { response.set("ETag", "\"1\"") }
        },
        ServerDefect("gate-wrong-password", "nearly right is right") { request, response in
            if request.isContent, request.header("Authorization")?.hasSuffix("Og==") == true {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-edition", "one for all") { request, response in
            if request.path == "/content/\(FakePublisherServer.first).zip", request.fields.isEmpty,
                response.status == 403,
                let value = request.header("Authorization"), value.count > 60, !ServerDefect.isAltered(value)
            {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-paths", "dot segments are taken out behind the check") { request, response in
            if request.path == "/content/\(FakePublisherServer.second)/../\(FakePublisherServer.first).zip" {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-privileges", "the packager gets in, as at the historic gate") { request, response in
            if request.isContent, request.header("User-Agent") == "PugpigNetwork/Packager" {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-private", "for shared caches alone") { request, response in
            if request.isContent, response.status < 300 { response.set("Cache-Control", "private, s-maxage=60") }
        },
        ServerDefect("gate-private", "for everybody's cache") { request, response in
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
