import Commerce
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import HummingbirdTesting
import JSON
import NIOCore
import NIOSSL
import OutgoingRequests
import Primitives
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

/// Fake App Store Server API on the loopback interface, over HTTPS with a certificate of a test authority. PyJWT
/// verifies every token, so that the check is independent of the code that creates the token.
struct FakeAppStoreServer: Sendable {
    /// A request that the server received.
    struct ReceivedRequest: Sendable, Equatable {
        let method: String
        /// The path with the query.
        let target: String
        let headers: [String: String]
        /// The header and the claims, after the signature check.
        let token: JSONValue
    }

    struct StubResponse: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: JSONValue

        static func ok(_ body: JSONValue) -> StubResponse { StubResponse(body: body) }

        static func error(_ code: Int, headers: [String: String] = [:]) -> StubResponse {
            StubResponse(
                status: code / 10_000, headers: headers,
                body: ["errorCode": .number(String(code)), "errorMessage": "As Apple words it."])
        }
    }

    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyID = "2X9R4HXF34"

    /// A client of a fake production server and a fake sandbox server.
    struct Setting: Sendable {
        let data: SignedAppStoreData
        let authority: SigningAuthority
        let requests: Locked<[ReceivedRequest]>
        let reconnectBackoff: Locked<[TimeInterval]>
        let production: ServiceURL

        var targets: [String] { requests.withLock { $0.map(\.target) } }
    }

    /// - Parameters:
    ///   - handler: Returns the response for a target in the environment of the queried server.
    ///   - deadline: The store's deadline. The default is longer than any busy machine needs.
    static func run(
        environments: Set<StoreEnvironment> = [.production, .sandbox], bundles: Set<String> = [SignedFormats.bundle],
        maxPages: Int = 50, clock: WallClock = .system, deadline: TimeInterval = 60,
        revocations: RevocationSettings = RevocationSettings(),
        responding handler:
            @escaping @Sendable (_ environment: StoreEnvironment, _ target: String) throws -> StubResponse,
        authority: SigningAuthority, _ body: @escaping @Sendable (Setting) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let key = P256Key()
            let publicKey = folder.appendingPathComponent("public.pem").path
            try key.publicPEM.write(toFile: publicKey, atomically: true, encoding: .utf8)
            let script = folder.appendingPathComponent("verify.py").path
            try verifier.write(toFile: script, atomically: true, encoding: .utf8)
            let transport = try await TestAuthority("api", in: folder)
            let issued = try await transport.issue("server", names: "DNS:localhost")
            let requests = Locked<[ReceivedRequest]>([])
            @Sendable func application(_ environment: StoreEnvironment) throws -> some ApplicationProtocol {
                let router = Router()
                router.get("**") { request, _ -> Response in
                    let token = request.headers[.authorization].map { String($0.dropFirst("Bearer ".count)) } ?? ""
                    let run = try await CommandRun.of(
                        "/usr/bin/python3", [script, publicKey], input: token, in: folder)
                    guard run.status == 0, let read = try? JSONParser.parse(Array(run.output.utf8)) else {
                        return Response(status: .unauthorized)
                    }
                    let headers = Dictionary(
                        request.headers.map { ($0.name.canonicalName, $0.value) }, uniquingKeysWith: { $1 })
                    let target = request.uri.string
                    requests.withLock {
                        $0.append(
                            ReceivedRequest(
                                method: request.method.rawValue, target: target, headers: headers, token: read))
                    }
                    let reported = try handler(environment, target)
                    var response = Response(
                        status: .init(code: reported.status), headers: [.contentType: "application/json"],
                        body: .init(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(reported.body))))
                    for (name, value) in reported.headers {
                        if let name = HTTPField.Name(name) { response.headers[name] = value }
                    }
                    return response
                }
                let tls = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(issued.certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: issued.key, format: .pem)))
                return Application(router: router, server: try .tls(.http1(), tlsConfiguration: tls))
            }
            let reconnectBackoff = Locked<[TimeInterval]>([])
            try await application(.production).test(.ahc(.https)) { production in
                try await application(.sandbox).test(.ahc(.https)) { sandbox in
                    var settings = AppStoreServerSettings(
                        issuer: issuer, keyID: keyID, key: Secret(key.privatePEM),
                        production: try #require(ServiceURL("https://localhost:\(production.port ?? 0)")),
                        sandbox: try #require(ServiceURL("https://localhost:\(sandbox.port ?? 0)/")))
                    settings.maxPages = maxPages
                    // Longer than a busy machine needs, because a process of its own verifies every token.
                    settings.http.connectTimeout = 60
                    settings.http.timeout = 60
                    var protection = StoreProtection()
                    protection.deadline = 60
                    let root = try String(contentsOfFile: transport.certificate, encoding: .utf8)
                    let isTrusted = settings.http.trustOnly(root)
                    #expect(isTrusted)
                    let data = try SignedAppStoreData(
                        apps: SignedFormats.apps(authority, environments: environments, bundles: bundles),
                        revocations: revocations, server: settings, protection: protection,
                        services: SignedFormats.services(clock),
                        deadline: deadline,
                        sleep: { pause in reconnectBackoff.withLock { $0.append(pause) } })
                    try await body(
                        Setting(
                            data: data, authority: authority, requests: requests, reconnectBackoff: reconnectBackoff,
                            production: settings.production))
                }
            }
        }
    }

    /// A script that reads a token on standard input and prints its content after PyJWT has verified it.
    private static let verifier = """
        import json, sys, jwt
        key = open(sys.argv[1]).read()
        token = sys.stdin.read()
        claims = jwt.decode(token, key, algorithms=["ES256"], audience="appstoreconnect-v1",
                            options={"require": ["iss", "iat", "exp", "aud", "bid"]})
        print(json.dumps({"header": jwt.get_unverified_header(token), "claims": claims}))
        """
}
