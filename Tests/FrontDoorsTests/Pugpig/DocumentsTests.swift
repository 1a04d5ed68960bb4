import Gatefold
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("The Pugpig documents")
struct DocumentsTests {
    private static let spice = "<>&\"'-]\r\n\t --><subscription state=\"active\">%:{}"

    /// A text of hostile characters, all of which XML can carry.
    private func text(_ random: inout SeededRandom) -> String {
        let text = String(decoding: random.hostileBytes(upTo: 30, spice: Self.spice), as: UTF8.self)
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { $0.value >= 0x20 || "\t\r\n".unicodeScalars.contains($0) }))
    }

    private func texts(_ random: inout SeededRandom) -> [String] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in text(&random) }
    }

    private func hex(_ random: inout SeededRandom) -> String { Hexadecimal.encode(random.bytes(20)) }

    @Test("Whatever a token, message or comment holds, the document is valid and says the same")
    func tokenDocuments() throws {
        let schema = try Schemas.schema(.token)
        var random = SeededRandom(seed: 21)
        for _ in 0..<2_000 {
            let token = text(&random)
            let feed = Bool.random(using: &random) ? hex(&random) : nil
            let signedIn = TokenDocument.bytes(.signedIn(token: token, feedPassword: feed, comments: texts(&random)))
            #expect(try schema.errors(in: signedIn) == [])
            let root = try XMLDocument(parsing: signedIn).root
            #expect(root.text == token)
            #expect(root.attributes["global_auth_password"] == feed)

            let message = Bool.random(using: &random) ? text(&random) : nil
            let refused = TokenDocument.bytes(.refused(SignInRefusal(reason: .notRecognised, message: message)))
            #expect(try schema.errors(in: refused) == [])
            #expect(try XMLDocument(parsing: refused).root.attributes["message"] == message)
        }
    }

    @Test("Pitfall 1: the list of issues is absent for everything, and there for anything less")
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
                VerificationAnswer(subscription: subscription, comments: texts(&random)))
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

    @Test("Credentials, extra headers and refusals are valid and say the same")
    func credentialsDocuments() throws {
        let schema = try Schemas.schema(.credentials)
        var random = SeededRandom(seed: 23)
        for _ in 0..<2_000 {
            let headers = texts(&random).map { EdgeHeader(name: text(&random), value: $0) }
            let credentials = EditionCredentials(userid: hex(&random), password: hex(&random))
            let granted = CredentialsDocument.bytes(
                .granted(credentials, headers: headers, comments: texts(&random)))
            #expect(try schema.errors(in: granted) == [])
            let root = try XMLDocument(parsing: granted).root
            #expect(root.child("userid")?.text == credentials.userid)
            #expect(root.child("password")?.text == credentials.password)
            let read = root.children.filter { $0.name == "header" }
            #expect(read.map(\.text) == headers.map(\.value))
            #expect(read.map { $0.attributes["name"] } == headers.map(\.name))

            let reason = ([nil] + CredentialsRefusal.Reason.allCases).randomElement(using: &random)!
            let message = Bool.random(using: &random) ? text(&random) : nil
            let refused = CredentialsDocument.bytes(
                .refused(CredentialsRefusal(reason: reason, message: message), comments: texts(&random)))
            #expect(try schema.errors(in: refused) == [])
            let error = try XMLDocument(parsing: refused).root.child("error")
            #expect(error?.attributes["status"] == reason?.rawValue)
            #expect(error?.attributes["message"] == message)
        }
    }

    @Test("The documents to the byte")
    func bytes() throws {
        func body(_ bytes: [UInt8]) -> String { String(decoding: bytes.drop { $0 != 0x0A }.dropFirst(), as: UTF8.self) }
        #expect(
            body(TokenDocument.bytes(.signedIn(token: "t", feedPassword: nil, comments: ["c"])))
                == "<token>t</token><!-- c -->")
        #expect(
            body(
                SubscriptionDocument.bytes(VerificationAnswer(subscription: Subscription(state: .active), comments: []))
            )
                == #"<subscription state="active"><issues/></subscription>"#)
        #expect(
            body(
                CredentialsDocument.bytes(
                    .refused(CredentialsRefusal(reason: .notEntitled, message: "m"), comments: [])))
                == #"<credentials><error status="notentitled" message="m"/></credentials>"#)
    }
}
