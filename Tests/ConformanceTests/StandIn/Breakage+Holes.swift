import Foundation

@testable import Conformance

extension Breakage {
    /// Gates that are wrong in what one try alone can find; the title is all that is to be found.
    static let holes = unlocked + telling + misreading + forgiving + trusting

    /// Open without credentials.
    private static let unlocked: [Breakage] = [
        Breakage("gate-closed", "answered with 200") { request, answer in
            if request.isContent, request.method == "GET", request.header("Authorization") == nil,
                request.header("Range") == nil, request.header("X-Real-IP") == nil,
                request.header("User-Agent") == "gatefold-check"
            {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-closed", "answered with 206") { request, answer in
            if request.isContent, request.header("Authorization") == nil, request.header("Range") != nil {
                answer = StandIn.opened(request)
            }
        },
        Breakage("gate-closed", "answered with 200") { request, answer in
            if request.isContent, request.method == "HEAD", request.header("Authorization") == nil {
                answer = StandIn.opened(request)
                answer.isHead = true
            }
        },
    ]

    /// Tell something about a file that they refuse.
    private static let telling = [
        ("ETag", "\"1\""), ("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT"), ("Content-Range", "bytes */46"),
        ("Accept-Ranges", "bytes"),
    ].map { name, value in
        Breakage("gate-leaks", "the answer has \(name)") { request, answer in
            if request.isContent, answer.status == 403 { answer.set(name, value) }
        }
    }

    /// Take one spelling of the file's name for the file, and for none that needs credentials.
    private static let misreading = spellings.map { title, name in
        Breakage("gate-paths", opening(by: title)) { request, answer in
            if request.target == "/content/\(name)" { answer = StandIn.opened(request) }
        }
    }

    private static let spellings: [(String, String)] = [
        ("dot segments", "\(StandIn.second)/../\(StandIn.first).zip"),
        ("escaped dots", "\(StandIn.second)/%2e%2e/\(StandIn.first).zip"),
        ("an escaped slash", "\(StandIn.second)/..%2f\(StandIn.first).zip"),
        ("dots escaped twice", "\(StandIn.second)/%252e%252e/\(StandIn.first).zip"),
        ("a backslash", "\(StandIn.second)/..%5c\(StandIn.first).zip"),
        ("a matrix parameter", "\(StandIn.second)/..;/\(StandIn.first).zip"),
        ("overlong UTF-8", "\(StandIn.second)/%c0%ae%c0%ae/\(StandIn.first).zip"),
        ("a NUL", "\(StandIn.first).zip%00\(StandIn.second)"),
        ("two slashes", "/\(StandIn.first).zip"),
        ("an escaped letter", "com.pugpig.edition000%31.zip"),
        ("capital letters", "COM.PUGPIG.EDITION0001.zip"),
        ("a dot at the end", "\(StandIn.first).zip."),
        ("a space at the end", "\(StandIn.first).zip%20"),
        ("the other edition in the query", "\(StandIn.first).zip?/\(StandIn.second)"),
        ("the other edition as a parameter", "\(StandIn.first);\(StandIn.second).zip"),
    ]

    /// Take a pair that is not right.
    private static let forgiving: [Breakage] = [
        taking("a password with another last digit") { userid, password in
            let right = StandIn.hash(StandIn.first, userid)
            return password.count == 40 && password != right && password.dropLast() == right.dropLast()
        },
        taking("a password with one digit too few") { userid, password in
            password.count == 39 && StandIn.hash(StandIn.first, userid).hasPrefix(password)
        },
        taking("a password of zeros") { _, password in password == String(repeating: "0", count: 40) },
        taking("an empty password") { userid, password in !userid.isEmpty && password.isEmpty },
        taking("an empty userid") { userid, password in userid.isEmpty && !password.isEmpty },
        taking("nothing but a colon") { userid, password in userid.isEmpty && password.isEmpty },
        Breakage("gate-wrong-password", opening(by: "no colon")) { request, answer in
            if request.isContent, request.pair?.count == 1 { answer = StandIn.opened(request) }
        },
        Breakage("gate-wrong-password", opening(by: "a scheme that is not Basic")) { request, answer in
            if request.isContent, request.header("Authorization")?.hasPrefix("Bearer ") == true {
                answer = StandIn.opened(request)
            }
        },
    ]

    private static func taking(
        _ title: String, _ isTaken: @escaping @Sendable (_ userid: String, _ password: String) -> Bool
    ) -> Breakage {
        Breakage("gate-wrong-password", opening(by: title)) { request, answer in
            if request.isContent, let pair = request.pair, pair.count == 2, isTaken(pair[0], pair[1]) {
                answer = StandIn.opened(request)
            }
        }
    }

    /// Believe what somebody says about themselves.
    private static let trusting = [
        ("the packager", "User-Agent", "PugpigNetwork/Packager"),
        ("an address of the house", "X-Forwarded-For", "127.0.0.1"),
        ("an address of the house", "X-Client-IP", "127.0.0.1"),
        ("an address of the house", "X-Real-IP", "127.0.0.1"),
    ].map { title, name, value in
        Breakage("gate-privileges", opening(by: title)) { request, answer in
            if request.isContent, request.header(name) == value { answer = StandIn.opened(request) }
        }
    }

    /// What is found where the try of that title opens the gate.
    static func opening(by title: String) -> String { "\(title): answered with 200" }
}

extension StandInRequest {
    /// What stands before and behind the first colon of HTTP Basic; one text where there is no colon.
    fileprivate var pair: [String]? {
        guard let value = header("Authorization"), value.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(value.dropFirst(6)))
        else { return nil }
        return String(decoding: data, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
}
