import Crypto
import Foundation

/// A server's challenge for `Authorization: Digest` (RFC 7616 section 3.3), and the computation of the response to
/// it.
struct DigestChallenge: Sendable, Equatable {
    enum Algorithm: String, Sendable {
        case md5 = "md5"
        case sha256 = "sha-256"

        func hash(_ text: String) -> String {
            let bytes: [UInt8] =
                switch self {
                case .md5: Array(Insecure.MD5.hash(data: Data(text.utf8)))
                case .sha256: Array(SHA256.hash(data: Data(text.utf8)))
                }
            return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    let realm: String
    var nonce: String
    let opaque: String?
    /// A Boolean value that indicates whether only the nonce is too old. User name and password may be right.
    let isStale: Bool
    let algorithm: Algorithm
    /// The algorithm as the server wrote it, or nil when the server omitted it.
    private let writtenAlgorithm: String?

    /// Selects the best supported challenge of the `WWW-Authenticate` headers: SHA-256 before MD5, with the quality
    /// `auth`. Returns nil when no challenge is supported.
    init?(_ headers: [String]) {
        let all = headers.flatMap(ChallengeHeader.parse).compactMap(DigestChallenge.init)
        guard let best = all.first(where: { $0.algorithm == .sha256 }) ?? all.first else { return nil }
        self = best
    }

    private init?(_ challenge: ChallengeHeader) {
        guard challenge.scheme.lowercased() == "digest", let realm = challenge.parameters["realm"],
            let nonce = challenge.parameters["nonce"],
            let qualities = challenge.parameters["qop"]?.lowercased().split(whereSeparator: { ", \t".contains($0) }),
            qualities.contains("auth"),
            let algorithm = Algorithm(rawValue: challenge.parameters["algorithm"]?.lowercased() ?? "md5")
        else { return nil }
        self.realm = realm
        self.nonce = nonce
        opaque = challenge.parameters["opaque"]
        isStale = challenge.parameters["stale"]?.lowercased() == "true"
        self.algorithm = algorithm
        writtenAlgorithm = challenge.parameters["algorithm"]
    }

    /// Returns the value of the `Authorization` header (RFC 7616 section 3.4).
    ///
    /// - Parameters:
    ///   - target: the request target as sent.
    ///   - count: the number of requests that used this nonce, this one included.
    func response(
        user: String, password: String, method: String, target: String, count: Int, clientNonce: String
    ) -> String {
        let digits = String(count, radix: 16)
        let nc = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let first = algorithm.hash("\(user):\(realm):\(password)")
        let second = algorithm.hash("\(method):\(target)")
        let response = algorithm.hash("\(first):\(nonce):\(nc):\(clientNonce):auth:\(second)")
        var parts = [
            "username=\(Self.quoted(user))", "realm=\(Self.quoted(realm))", "nonce=\(Self.quoted(nonce))",
            "uri=\(Self.quoted(target))", "response=\"\(response)\"", "qop=auth", "nc=\(nc)",
            "cnonce=\(Self.quoted(clientNonce))",
        ]
        if let writtenAlgorithm { parts.append("algorithm=\(writtenAlgorithm)") }
        if let opaque { parts.append("opaque=\(Self.quoted(opaque))") }
        return "Digest " + parts.joined(separator: ", ")
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// One challenge of a `WWW-Authenticate` header (RFC 9110 section 11.6.1).
struct ChallengeHeader: Sendable, Equatable {
    let scheme: String
    /// The parameters by name in lower case.
    var parameters: [String: String] = [:]

    /// Returns the challenges of a header. One header may hold several challenges, separated by commas, as are the
    /// parameters of each challenge.
    static func parse(_ header: String) -> [ChallengeHeader] {
        var challenges: [ChallengeHeader] = []
        var rest = header[...]
        while true {
            rest = rest.drop { ", \t".contains($0) }
            let word = rest.prefix { !",= \t\"".contains($0) }
            guard !word.isEmpty else { return challenges }
            rest = rest[word.endIndex...]
            let gap = rest.drop { " \t".contains($0) }
            if gap.first == "=", var challenge = challenges.popLast() {
                rest = gap.dropFirst().drop { " \t".contains($0) }
                guard let value = takeValue(&rest) else { return challenges }
                challenge.parameters[word.lowercased()] = value
                challenges.append(challenge)
            } else {
                challenges.append(ChallengeHeader(scheme: String(word)))
            }
        }
    }

    private static func takeValue(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let token = rest.prefix { !", \t".contains($0) }
            rest = rest[token.endIndex...]
            return String(token)
        }
        rest.removeFirst()
        var value = ""
        while let character = rest.popFirst() {
            switch character {
            case "\"": return value
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(character)
            }
        }
        return nil
    }
}
