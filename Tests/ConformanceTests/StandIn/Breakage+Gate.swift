import Foundation

@testable import Conformance

extension Breakage {
    static let gate: [Breakage] = [
        Breakage("gate-opens", "nobody gets in by HEAD") { request, answer in
            if request.isContent, request.method == "HEAD" { answer = .text(403, "") }
        },
        Breakage("gate-opens", "a page to sign in at") { request, answer in
            if request.isContent, answer.status == 200 { answer.set("Content-Type", "text/html; charset=utf-8") }
        },
        Breakage("gate-part", "a part that does not say which") { request, answer in
            if answer.status == 206 { answer.set("Content-Range", nil) }
        },
        Breakage("gate-part", "the whole for a part") { request, answer in
            if answer.status == 206 { answer.body = StandIn.file }
        },
        Breakage("gate-part", "another part") { request, answer in
            if answer.status == 206 { answer.body = Array(StandIn.file.suffix(16)) }
        },
        Breakage("gate-part", "always the whole") { request, answer in
            if answer.status == 206 { answer.status = 200 }
        },
        Breakage("gate-closed", "parts are free") { request, answer in
            if request.isContent, request.header("Authorization") == nil, request.header("Range") != nil {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-403", "a challenge") { request, answer in
            if request.isContent, request.header("Authorization") == nil, answer.status == 403 {
                answer.status = 401
                answer.set("WWW-Authenticate", "Basic realm=\"editions\"")
            }
        },
        Breakage("gate-403", "a bare 401") { request, answer in
            if request.isContent, request.header("Authorization") == nil, answer.status == 403 { answer.status = 401 }
        },
        Breakage("gate-403", "a challenge beside the 403") { request, answer in
            if request.isContent, answer.status == 403 { answer.set("WWW-Authenticate", "Basic realm=\"editions\"") }
        },
        Breakage("gate-403", "a redirect to a page to sign in at") { request, answer in
            if request.isContent, request.header("Authorization") == nil, answer.status == 403 {
                answer.status = 302
                answer.set("Location", "/login")
            }
        },
        Breakage("gate-no-cache", "a refusal that may be kept") { request, answer in
            if request.isContent, answer.status == 403 { answer.set("Cache-Control", "max-age=60") }
        },
        Breakage("gate-leaks", "the tag of a file that is refused") { request, answer in
            if request.isContent, answer.status == 403 { answer.set("ETag", "\"1\"") }
        },
        Breakage("gate-wrong-password", "nearly right is right") { request, answer in
            if request.isContent, request.header("Authorization")?.hasSuffix("Og==") == true {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-edition", "one for all") { request, answer in
            if request.path == "/content/\(StandIn.first).zip", request.fields.isEmpty, answer.status == 403,
                let value = request.header("Authorization"), value.count > 60, !Breakage.isAltered(value)
            {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-paths", "dot segments are taken out behind the check") { request, answer in
            if request.path == "/content/\(StandIn.second)/../\(StandIn.first).zip" { answer = StandIn.opened(request) }
        },
        Breakage("gate-privileges", "the packager gets in, as at the historic gate") { request, answer in
            if request.isContent, request.header("User-Agent") == "PugpigNetwork/Packager" {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-private", "for shared caches alone") { request, answer in
            if request.isContent, answer.status < 300 { answer.set("Cache-Control", "private, s-maxage=60") }
        },
        Breakage("gate-private", "for everybody's cache") { request, answer in
            if request.isContent, answer.status < 300 { answer.set("Cache-Control", "public, max-age=60") }
        },
    ]

    /// Whether the pair is one of those that are wrong in themselves, and not only for this edition.
    private static func isAltered(_ authorization: String) -> Bool {
        guard authorization.hasPrefix("Basic "), let data = Data(base64Encoded: String(authorization.dropFirst(6)))
        else {
            return true
        }
        let pair = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
        return pair.count != 2
            || ![StandIn.first, StandIn.second].contains { StandIn.hash($0, pair[0]).utf8.elementsEqual(pair[1].utf8) }
    }
}
