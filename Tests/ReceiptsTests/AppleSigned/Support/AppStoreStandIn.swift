import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTLS
import HummingbirdTesting
import JSON
import NIOCore
import NIOSSL
import OutgoingRequests
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

/// The App Store Server API on loopback, over HTTPS with a certificate of the test's own authority. It takes nobody's word:
/// every token is verified by PyJWT, not by what made it.
struct AppStoreStandIn: Sendable {
    /// What was asked.
    struct Question: Sendable, Equatable {
        let method: String
        /// With the query.
        let target: String
        let headers: [String: String]
        /// The header and the claims, once the signature is known to be good.
        let token: JSONValue
    }

    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body: JSONValue

        static func ok(_ body: JSONValue) -> Answer { Answer(body: body) }

        static func error(_ code: Int, headers: [String: String] = [:]) -> Answer {
            Answer(
                status: code / 10_000, headers: headers,
                body: ["errorCode": .number(String(code)), "errorMessage": "As Apple words it."])
        }
    }

    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    static let keyID = "2X9R4HXF34"

    /// A client of a stand-in each for production and sandbox.
    struct Setting: Sendable {
        let data: SignedAppStoreData
        let authority: SigningAuthority
        let questions: Kept<[Question]>
        let pauses: Kept<[TimeInterval]>
        let production: ServiceURL

        var targets: [String] { questions.withLock { $0.map(\.target) } }
    }

    /// - Parameters:
    ///   - answer: what is answered at a target, with `production` or `sandbox` for where it was asked.
    ///   - patience: longer than any busy machine takes, but where the patience itself is looked at.
    static func run(
        environments: Set<StoreEnvironment> = [.production, .sandbox], bundles: Set<String> = [SignedForms.bundle],
        mostPages: Int = 50, clock: WallClock = .system, patience: TimeInterval = 60,
        revocations: RevocationSettings = RevocationSettings(),
        answering answer: @escaping @Sendable (_ environment: StoreEnvironment, _ target: String) throws -> Answer,
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
            let questions = Kept<[Question]>([])
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
                    questions.withLock {
                        $0.append(
                            Question(
                                method: request.method.rawValue, target: target, headers: headers, token: read))
                    }
                    let told = try answer(environment, target)
                    var response = Response(
                        status: .init(code: told.status), headers: [.contentType: "application/json"],
                        body: .init(byteBuffer: ByteBuffer(bytes: JSONWriter.bytes(told.body))))
                    for (name, value) in told.headers {
                        if let name = HTTPField.Name(name) { response.headers[name] = value }
                    }
                    return response
                }
                let tls = TLSConfiguration.makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(issued.certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: issued.key, format: .pem)))
                return Application(router: router, server: try .tls(.http1(), tlsConfiguration: tls))
            }
            let pauses = Kept<[TimeInterval]>([])
            try await application(.production).test(.ahc(.https)) { production in
                try await application(.sandbox).test(.ahc(.https)) { sandbox in
                    var settings = AppStoreServerSettings(
                        issuer: issuer, keyID: keyID, key: Secret(key.privatePEM),
                        production: try #require(ServiceURL("https://localhost:\(production.port ?? 0)")),
                        sandbox: try #require(ServiceURL("https://localhost:\(sandbox.port ?? 0)/")))
                    settings.mostPages = mostPages
                    // More than a busy machine takes: every token is verified by a process of its own.
                    settings.http.connectTimeout = 60
                    settings.http.timeout = 60
                    var protection = StoreProtection()
                    protection.deadline = 60
                    let root = try String(contentsOfFile: transport.certificate, encoding: .utf8)
                    let isTrusted = settings.http.trustOnly(root)
                    #expect(isTrusted)
                    let data = try SignedAppStoreData(
                        apps: SignedForms.apps(authority, environments: environments, bundles: bundles),
                        revocations: revocations, server: settings, protection: protection,
                        services: SignedForms.services(clock),
                        patience: patience,
                        sleep: { pause in pauses.withLock { $0.append(pause) } })
                    try await body(
                        Setting(
                            data: data, authority: authority, questions: questions, pauses: pauses,
                            production: settings.production))
                }
            }
        }
    }

    /// Reads a token on standard input and prints what it says, once PyJWT has verified it.
    private static let verifier = """
        import json, sys, jwt
        key = open(sys.argv[1]).read()
        token = sys.stdin.read()
        claims = jwt.decode(token, key, algorithms=["ES256"], audience="appstoreconnect-v1",
                            options={"require": ["iss", "iat", "exp", "aud", "bid"]})
        print(json.dumps({"header": jwt.get_unverified_header(token), "claims": claims}))
        """
}
