import Foundation

@testable import Conformance

extension ServerDefect {
    /// Gates with a hole that only one attempt can find. The title is the only expected finding.
    static let holes = unlocked + revealing + misreading + forgiving + trusting

    /// Gates that open without credentials.
    private static let unlocked: [ServerDefect] = [
        ServerDefect("gate-closed", "the HTTP status is 200") { request, response in
            if request.isContent, request.method == "GET", request.header("Authorization") == nil,
                request.header("Range") == nil, request.header("X-Real-IP") == nil,
                request.header("User-Agent") == "gatefold-check"
            {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-closed", "the HTTP status is 206") { request, response in
            if request.isContent, request.header("Authorization") == nil, request.header("Range") != nil {
                response = FakePublisherServer.opened(request)
            }
        },
        ServerDefect("gate-closed", "the HTTP status is 200") { request, response in
            if request.isContent, request.method == "HEAD", request.header("Authorization") == nil {
                response = FakePublisherServer.opened(request)
                response.isHead = true
            }
        },
    ]

    /// Gates that reveal something about a denied file.
    private static let revealing = [
        ("ETag", "\"1\""), ("Last-Modified", "Sun, 22 Nov 2026 10:00:00 GMT"), ("Content-Range", "bytes */46"),
        ("Accept-Ranges", "bytes"),
    ].map { name, value in
        ServerDefect("gate-leaks", "the response has \(name)") { request, response in
            if request.isContent, response.status == 403 { response.set(name, value) }
        }
    }

    /// Gates that accept one spelling of the file's name as the file, but as one that needs no credentials.
    private static let misreading = encodings.map { title, name in
        ServerDefect("gate-paths", opening(by: title)) { request, response in
            if request.target == "/content/\(name)" { response = FakePublisherServer.opened(request) }
        }
    }

    private static let encodings: [(String, String)] = [
        ("dot segments", "\(FakePublisherServer.second)/../\(FakePublisherServer.first).zip"),
        ("escaped dots", "\(FakePublisherServer.second)/%2e%2e/\(FakePublisherServer.first).zip"),
        ("an escaped slash", "\(FakePublisherServer.second)/..%2f\(FakePublisherServer.first).zip"),
        ("dots escaped twice", "\(FakePublisherServer.second)/%252e%252e/\(FakePublisherServer.first).zip"),
        ("a backslash", "\(FakePublisherServer.second)/..%5c\(FakePublisherServer.first).zip"),
        ("a matrix parameter", "\(FakePublisherServer.second)/..;/\(FakePublisherServer.first).zip"),
        ("overlong UTF-8", "\(FakePublisherServer.second)/%c0%ae%c0%ae/\(FakePublisherServer.first).zip"),
        ("a NUL", "\(FakePublisherServer.first).zip%00\(FakePublisherServer.second)"),
        ("two slashes", "/\(FakePublisherServer.first).zip"),
        ("an escaped letter", "com.pugpig.edition000%31.zip"),
        ("capital letters", "COM.PUGPIG.EDITION0001.zip"),
        ("a dot at the end", "\(FakePublisherServer.first).zip."),
        ("a space at the end", "\(FakePublisherServer.first).zip%20"),
        ("the other edition in the query", "\(FakePublisherServer.first).zip?/\(FakePublisherServer.second)"),
        ("the other edition as a parameter", "\(FakePublisherServer.first);\(FakePublisherServer.second).zip"),
    ]

    /// Gates that accept a wrong pair.
    private static let forgiving: [ServerDefect] = [
        taking("a password with another last digit") { userid, password in
            let right = FakePublisherServer.hash(FakePublisherServer.first, userid)
            return password.count == 40 && password != right && password.dropLast() == right.dropLast()
        },
        taking("a password with one digit too few") { userid, password in
            password.count == 39 && FakePublisherServer.hash(FakePublisherServer.first, userid).hasPrefix(password)
        },
        taking("a password of zeros") { _, password in password == String(repeating: "0", count: 40) },
        taking("an empty password") { userid, password in !userid.isEmpty && password.isEmpty },
        taking("an empty userid") { userid, password in userid.isEmpty && !password.isEmpty },
        taking("only a colon") { userid, password in userid.isEmpty && password.isEmpty },
        ServerDefect("gate-wrong-password", opening(by: "no colon")) { request, response in
            if request.isContent, request.pair?.count == 1 { response = FakePublisherServer.opened(request) }
        },
        ServerDefect("gate-wrong-password", opening(by: "a scheme that is not Basic")) { request, response in
            if request.isContent, request.header("Authorization")?.hasPrefix("Bearer ") == true {
                response = FakePublisherServer.opened(request)
            }
        },
    ]

    private static func taking(
        _ title: String, _ isOccupied: @escaping @Sendable (_ userid: String, _ password: String) -> Bool
    ) -> ServerDefect {
        ServerDefect("gate-wrong-password", opening(by: title)) { request, response in
            if request.isContent, let pair = request.pair, pair.count == 2, isOccupied(pair[0], pair[1]) {
                response = FakePublisherServer.opened(request)
            }
        }
    }

    /// Gates that trust what a client claims about itself.
    private static let trusting = [
        ("the packager", "User-Agent", "PugpigNetwork/Packager"),
        ("a forged internal address", "X-Forwarded-For", "127.0.0.1"),
        ("a forged internal address", "X-Client-IP", "127.0.0.1"),
        ("a forged internal address", "X-Real-IP", "127.0.0.1"),
    ].map { title, name, value in
        ServerDefect("gate-privileges", opening(by: title)) { request, response in
            if request.isContent, request.header(name) == value { response = FakePublisherServer.opened(request) }
        }
    }

    /// Returns the finding if the attempt of that title opens the gate.
    static func opening(by title: String) -> String { "\(title): the HTTP status is 200" }
}

extension FakeServerRequest {
    /// The parts before and after the first colon of HTTP Basic, or a single text without a colon.
    fileprivate var pair: [String]? {
        guard let value = header("Authorization"), value.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(value.dropFirst(6)))
        else { return nil }
        return String(decoding: data, as: UTF8.self)
            .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
}
