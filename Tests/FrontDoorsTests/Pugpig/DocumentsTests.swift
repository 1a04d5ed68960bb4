import Gatefold
import Primitives
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("Pugpig documents")
struct DocumentsTests {
    private static let specialCharacters = "<>&\"'-]\r\n\t --><subscription state=\"active\">%:{}"

    /// Returns a text of hostile characters that XML can represent.
    private func text(_ random: inout SeededRandom) -> String {
        let text = String(
            decoding: random.hostileBytes(upTo: 30, specialCharacters: Self.specialCharacters), as: UTF8.self)
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 || "\t\r\n".unicodeScalars.contains($0) }))
    }

    private func texts(_ random: inout SeededRandom) -> [String] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
    }

    private func hex(_ random: inout SeededRandom) -> String { Hexadecimal.encode(random.bytes(20)) }

    @Test("A token document is valid and preserves any token, message and comment")
    func tokenDocuments() throws {
        let schema = try Schemas.schema(.token)
        var random = SeededRandom(seed: 21)
        for _ in 0..<2_000 {
            let token = text(&random)
            let feed = Bool.random(using: &random) ? hex(&random) : nil
            let signedIn = TokenDocument.bytes(.signedIn(token: token, feedPassword: feed, notes: texts(&random)))
            #expect(try schema.errors(in: signedIn) == [])
            let root = try XMLDocument(parsing: signedIn).root
            #expect(root.text == token)
            #expect(root.attributes["global_auth_password"] == feed)

            let message = Bool.random(using: &random) ? text(&random) : nil
            let rejected = TokenDocument.bytes(.rejected(SignInRejection(reason: .rejected, message: message)))
            #expect(try schema.errors(in: rejected) == [])
            #expect(try XMLDocument(parsing: rejected).root.attributes["message"] == message)
        }
    }

    @Test("Pitfall 1: the issue list is absent for all editions and present for anything less")
    func subscriptionDocuments() throws {
        let schema = try Schemas.schema(.subscription)
        var random = SeededRandom(seed: 22)
        for _ in 0..<2_000 {
            let held = Set((0..<Int.random(in: 0...4, using: &random)).compactMap { EditionID("e.\($0)") })
            let subscription = Subscription(
                state: SubscriptionState.allCases.randomElement(using: &random)!,
                message: Bool.random(using: &random) ? text(&random) : nil,
                entitlement: Bool.random(using: &random) ? .allEditions : .editions(held),
                userInfo: texts(&random).map { UserInfoCategory(scheme: $0, value: text(&random)) })
            let bytes = SubscriptionDocument.bytes(
                VerificationResult(subscription: subscription, notes: texts(&random)))
            #expect(try schema.errors(in: bytes) == [])
            let root = try XMLDocument(parsing: bytes).root
            #expect(root.attributes["state"] == subscription.state.rawValue)
            #expect(root.attributes["message"] == subscription.message)
            let issues = root.child("issues").map { $0.children.map(\.text) }
            switch subscription.entitlement {
            case .allEditions: #expect(issues == nil)
            case .editions: #expect(issues == held.sorted().map(\.rawValue))
            }
            let categories = root.child("userinfo").map(\.children) ?? []
            #expect((root.child("userinfo") == nil) == subscription.userInfo.isEmpty)
            #expect(categories.map { $0.attributes["scheme"] } == subscription.userInfo.map(\.scheme))
            #expect(categories.map { $0.attributes["term"] } == subscription.userInfo.map(\.value))
            #expect(categories.map { $0.attributes["value"] } == subscription.userInfo.map(\.value))
        }
    }

    @Test("Credentials, headers and errors make valid documents and keep their values")
    func credentialsDocuments() throws {
        let schema = try Schemas.schema(.credentials)
        var random = SeededRandom(seed: 23)
        for _ in 0..<2_000 {
            let headers = texts(&random).map { EdgeHeader(name: text(&random), value: $0) }
            let credentials = EditionCredentials(userid: hex(&random), password: hex(&random))
            let granted = CredentialsDocument.bytes(
                .granted(credentials, headers: headers, notes: texts(&random)))
            #expect(try schema.errors(in: granted) == [])
            let root = try XMLDocument(parsing: granted).root
            #expect(root.child("userid")?.text == credentials.userid)
            #expect(root.child("password")?.text == credentials.password)
            let read = root.children.filter { $0.name == "header" }
            #expect(read.map(\.text) == headers.map(\.value))
            #expect(read.map { $0.attributes["name"] } == headers.map(\.name))

            let reason = ([nil] + CredentialsRejection.Reason.allCases).randomElement(using: &random)!
            let message = Bool.random(using: &random) ? text(&random) : nil
            let rejected = CredentialsDocument.bytes(
                .rejected(CredentialsRejection(reason: reason, message: message), notes: texts(&random)))
            #expect(try schema.errors(in: rejected) == [])
            let error = try XMLDocument(parsing: rejected).root.child("error")
            #expect(error?.attributes["status"] == reason?.rawValue)
            #expect(error?.attributes["message"] == message)
        }
    }

    @Test("The documents match byte for byte")
    func bytes() throws {
        func body(_ bytes: [UInt8]) -> String { String(decoding: bytes.drop { $0 != 0x0A }.dropFirst(), as: UTF8.self) }
        #expect(
            body(TokenDocument.bytes(.signedIn(token: "t", feedPassword: nil, notes: ["c"])))
                == "<token>t</token><!-- c -->")
        #expect(
            body(
                SubscriptionDocument.bytes(VerificationResult(subscription: Subscription(state: .active), notes: []))
            )
                == #"<subscription state="active"><issues/></subscription>"#)
        #expect(
            body(
                CredentialsDocument.bytes(
                    .rejected(CredentialsRejection(reason: .notEntitled, message: "m"), notes: [])))
                == #"<credentials><error status="notentitled" message="m"/></credentials>"#)
    }
}
