import Crypto
import Foundation
import TestSupport
import Testing

@testable import InPlayer

@Suite("AWS signature, version 4")
struct AWSSignatureTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test("derives the key of AWS's published example")
    func key() {
        let signature = AWSSignature(
            keys: AWSKeys(accessKey: "AKIDEXAMPLE", secretKey: Self.secret), region: "us-east-1", service: "iam")
        let key = signature.signingKey(day: "20120215").withUnsafeBytes { Data($0) }
        #expect(
            key.map { String(format: "%02x", $0) }.joined()
                == "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d")
    }

    @Test("signs the request of AWS's test suite")
    func vanilla() {
        let signature = AWSSignature(
            keys: AWSKeys(accessKey: "AKIDEXAMPLE", secretKey: Self.secret), region: "us-east-1", service: "service")
        let request = [
            "GET", "/", "", "host:example.amazonaws.com", "x-amz-date:20150830T123600Z", "", "host;x-amz-date",
            AWSSignature.noPayload,
        ].joined(separator: "\n")
        #expect(
            signature.signature(
                of: request, time: "20150830T123600Z", scope: "20150830/us-east-1/service/aws4_request",
                day: "20150830") == "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31")
    }

    @Test("signs the URL of AWS's published example")
    func url() throws {
        let signature = AWSSignature(
            keys: AWSKeys(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "s3")
        let query = signature.query(
            host: "examplebucket.s3.amazonaws.com", path: "/test.txt", at: try date("2013-05-24T00:00:00Z"),
            lifetime: 86_400, payload: "UNSIGNED-PAYLOAD")
        #expect(
            query == "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                + "AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&"
                + "X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
                + "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test("matches botocore's", arguments: ["token/with+signs==", nil] as [String?])
    func botocore(_ token: String?) async throws {
        try await withTemporaryFolder { folder in
            let script = """
                import sys
                from botocore.auth import SigV4QueryAuth
                from botocore.awsrequest import AWSRequest
                from botocore.credentials import Credentials
                token = sys.argv[1] or None
                request = AWSRequest(method="GET", url="https://broker.example.com/mqtt")
                auth = SigV4QueryAuth(Credentials("AKID+/", "\(Self.secret)", token), "iotdevicegateway", "eu-west-1", 900)
                auth.add_auth(request)
                print(request.url)
                """
            let run = try await CommandRun.of("/usr/bin/python3", ["-", token ?? ""], input: script, in: folder)
            let url = try #require(URLComponents(string: run.output.trimmingCharacters(in: .whitespacesAndNewlines)))
            var theirs = Dictionary(
                (url.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
            let time = try #require(theirs["X-Amz-Date"], "\(run.errors)")
            let parts = [time.prefix(4), time.dropFirst(4).prefix(2), time.dropFirst(6).prefix(2)]
            let clock = [time.dropFirst(9).prefix(2), time.dropFirst(11).prefix(2), time.dropFirst(13).prefix(2)]
            let timestamp = try date("\(parts.joined(separator: "-"))T\(clock.joined(separator: ":"))Z")
            let ours = AWSSignature(
                keys: AWSKeys(accessKey: "AKID+/", secretKey: Self.secret, sessionToken: token), region: "eu-west-1",
                service: "iotdevicegateway"
            ).query(host: "broker.example.com", path: "/mqtt", at: timestamp, lifetime: 900)
            for pair in ours.split(separator: "&") {
                let halves = pair.split(separator: "=", maxSplits: 1)
                let name = String(halves[0])
                #expect(theirs.removeValue(forKey: name) == halves[1].removingPercentEncoding, "\(name)")
            }
            #expect(theirs.isEmpty)
        }
    }

    @Test("can append the session token unsigned, as AWS IoT requires")
    func sessionToken() throws {
        let timestamp = try date("2026-11-01T12:00:00Z")
        func query(_ token: String?) -> String {
            AWSSignature(
                keys: AWSKeys(accessKey: "A", secretKey: "B", sessionToken: token), region: "eu-west-1",
                service: "iotdevicegateway"
            ).query(host: "h", path: "/mqtt", at: timestamp, signsSessionToken: false)
        }
        #expect(query("a+b") == "\(query(nil))&X-Amz-Security-Token=a%2Bb")
    }

    @Test("never reveals its keys")
    func redacted() {
        let keys = AWSKeys(accessKey: "AKID", secretKey: "hush", sessionToken: "hush")
        #expect(!"\(keys) \(String(reflecting: keys))".contains("hush"))
    }
}
