import EdgeTokens
import Foundation
import Gatefold
import Primitives
import Testing

@Suite("CloudFront signed cookies")
struct CloudFrontSignedCookiesTests {
    static let resource = "https://cdn.example.com/{publication}/{edition}/*"

    enum Kind: String, CaseIterable {
        case rsa, rsaOldForm, ecdsa, ecdsaOldForm

        var command: [String] {
            switch self {
            case .rsa:
                ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", "key.pem"]
            case .rsaOldForm: ["openssl", "genrsa", "-traditional", "-out", "key.pem", "2048"]
            case .ecdsa:
                ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key.pem"]
            case .ecdsaOldForm: ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "key.pem"]
            }
        }
    }

    private func makeKey(_ kind: Kind, in folder: ScratchFolder) throws -> Secret {
        _ = try ChildProcess.run(kind.command, in: folder.url)
        _ = try ChildProcess.run(
            ["openssl", "pkey", "-in", "key.pem", "-pubout", "-out", "public.pem"], in: folder.url)
        return Secret(Array(try Data(contentsOf: folder.url.appending(path: "key.pem"))))
    }

    private func cookies(_ headers: [EdgeHeader]) throws -> [String: String] {
        let header = try #require(headers.first)
        #expect(headers.count == 1 && header.name == "Cookie")
        return Dictionary(
            uniqueKeysWithValues: header.value.components(separatedBy: "; ").map {
                let parts = $0.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            })
    }

    private func decode(_ text: String?) throws -> Data {
        let text = try #require(text)
        #expect(!text.contains { "+=/".contains($0) })
        let usual = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "=" : $0 == "~" ? "/" : $0 })
        return try #require(Data(base64Encoded: usual))
    }

    private func verify(_ policy: Data, _ signature: Data, _ digest: String, in folder: ScratchFolder) throws {
        try policy.write(to: folder.url.appending(path: "policy"))
        try signature.write(to: folder.url.appending(path: "signature"))
        let output = try ChildProcess.run(
            ["openssl", "dgst", "-\(digest)", "-verify", "public.pem", "-signature", "signature", "policy"],
            in: folder.url)
        #expect(output.contains("Verified OK"))
    }

    @Test("OpenSSL verifies the signature of a custom policy for every key type and format", arguments: Kind.allCases)
    func custom(_ kind: Kind) throws {
        let folder = try ScratchFolder()
        let token = try CloudFrontSignedCookies(
            resource: Self.resource, keyPairID: "K2JCJMDEHXQW5F", privateKey: makeKey(kind, in: folder))
        let cookies = try cookies(token.headers(for: AkamaiEdgeTokenTests.grant))
        let policy = try decode(cookies["CloudFront-Policy"])
        #expect(
            String(decoding: policy, as: UTF8.self)
                == #"{"Statement":[{"Resource":"https://cdn.example.com/demo/com.example.edition0001/*","#
                + #""Condition":{"DateLessThan":{"AWS:EpochTime":1793538000}}}]}"#)
        try verify(policy, decode(cookies["CloudFront-Signature"]), "sha1", in: folder)
        #expect(cookies["CloudFront-Key-Pair-Id"] == "K2JCJMDEHXQW5F")
        #expect(cookies.count == 3)
    }

    @Test("OpenSSL verifies the signature of a canned policy rebuilt from the cookies")
    func canned() throws {
        let folder = try ScratchFolder()
        let token = try CloudFrontSignedCookies(
            resource: "https://cdn.example.com/{edition}.zip", policy: .canned, keyPairID: "K1",
            privateKey: makeKey(.rsa, in: folder), window: 60)
        let cookies = try cookies(token.headers(for: AkamaiEdgeTokenTests.grant))
        #expect(cookies["CloudFront-Expires"] == "1793534460")
        #expect(cookies["CloudFront-Policy"] == nil)
        let policy =
            #"{"Statement":[{"Resource":"https://cdn.example.com/com.example.edition0001.zip","Condition":"#
            + #"{"DateLessThan":{"AWS:EpochTime":1793534460}}}]}"#
        try verify(Data(policy.utf8), decode(cookies["CloudFront-Signature"]), "sha1", in: folder)
    }

    @Test("Names the digest in a cookie if it is SHA-256", arguments: [Kind.rsa, .ecdsa])
    func sha256(_ kind: Kind) throws {
        let folder = try ScratchFolder()
        let token = try CloudFrontSignedCookies(
            resource: Self.resource, keyPairID: "K1", privateKey: makeKey(kind, in: folder), digest: .sha256)
        let cookies = try cookies(token.headers(for: AkamaiEdgeTokenTests.grant))
        #expect(cookies["CloudFront-Hash-Algorithm"] == "SHA256")
        try verify(
            decode(cookies["CloudFront-Policy"]), decode(cookies["CloudFront-Signature"]), "sha256", in: folder)
    }

    @Test("Rejects unusable keys without quoting them in the error")
    func badKeys() throws {
        let folder = try ScratchFolder()
        #expect(throws: EdgeTokenError.pemKey) {
            try CloudFrontSignedCookies(resource: Self.resource, keyPairID: "K1", privateKey: Secret("no key"))
        }
        _ = try ChildProcess.run(["openssl", "genrsa", "-out", "short.pem", "1024"], in: folder.url)
        let short = Secret(Array(try Data(contentsOf: folder.url.appending(path: "short.pem"))))
        #expect(throws: EdgeTokenError.rsaKeySize(bits: 1024)) {
            try CloudFrontSignedCookies(resource: Self.resource, keyPairID: "K1", privateKey: short)
        }
    }

    @Test("Rejects settings that could break the header, the cookies or the policy")
    func badSettings() throws {
        let folder = try ScratchFolder()
        let key = try makeKey(.ecdsa, in: folder)
        #expect(throws: EdgeTokenError.wildcardInCannedPolicy) {
            try CloudFrontSignedCookies(resource: Self.resource, policy: .canned, keyPairID: "K1", privateKey: key)
        }
        for resource in ["", "https://a/\r\n", "https://a/\"", "https://a/\\", "https://a/{reader}", "https://a/ b"] {
            #expect(throws: EdgeTokenError.self) {
                try CloudFrontSignedCookies(resource: resource, keyPairID: "K1", privateKey: key)
            }
        }
        for id in ["", "K1; a=b", "K 1", "K1\r\n"] {
            #expect(throws: EdgeTokenError.self) {
                try CloudFrontSignedCookies(resource: Self.resource, keyPairID: id, privateKey: key)
            }
        }
        #expect(throws: EdgeTokenError.lifetime) {
            try CloudFrontSignedCookies(resource: Self.resource, keyPairID: "K1", privateKey: key, window: 0)
        }
    }
}
