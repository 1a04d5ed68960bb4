import ContentGate
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import Testing

@Suite("Code of the guide")
struct GuideTests {
    @Test("The article's custom server works as shown")
    func ownServer() async throws {
        let tree = try ContentTree()
        let root = tree.root
        let secret = Secret("a secret that only we know")
        try tree.write("sampler/page.html", "free")
        try tree.write("2026-11/page.html", "paid")

        let daily = PublicationID("daily")!
        let sampler = Edition(id: EditionID("sampler")!, title: "Sampler", published: .distantPast, isFree: true)
        let publication = GatePublication(
            id: daily,
            layout: try ContentLayout(prefix: "/content/daily/", openPatterns: ["*/cover.jpg"], root: root),
            verifier: EditionCredentialsVerifier(
                publication: daily, secrets: SecretRing(current: secret), acceptsPlainSalts: true, resumeWindow: 3_600),
            revocations: RevocationList(publication: daily),
            catalogue: CurrentCatalogue(Catalogue([sampler])))
        let gate = try Gate([publication], clock: .system)

        let router = Router()
        router.add(middleware: ContentResponder(GateEvaluator(gate), files: FileServer(clock: .system)))

        // Any issuer of the historic credentials works.
        let password = EditionPassword.make(edition: EditionID("2026-11")!, salt: "0123456789", secret: secret)
        let header = Tenant.basic("0123456789", password)
        try await Application(router: router).test(.router) { client in
            try await client.execute(uri: "/content/daily/sampler/page.html", method: .get) {
                #expect(String(buffer: $0.body) == "free")
            }
            try await client.execute(uri: "/content/daily/2026-11/page.html", method: .get) {
                #expect($0.status == .forbidden)
            }
            try await client.execute(
                uri: "/content/daily/2026-11/page.html", method: .get, headers: [.authorization: header]
            ) {
                #expect(String(buffer: $0.body) == "paid")
            }
        }
    }
}
