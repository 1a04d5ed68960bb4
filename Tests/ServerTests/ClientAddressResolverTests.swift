import Gatefold
import HTTPTypes
import Primitives
import Server
import TestSupport
import Testing

@Suite("Client address")
struct ClientAddressResolverTests {
    private let proxy = ClientAddress("10.0.0.1")
    private let stranger = ClientAddress("203.0.113.9")

    private func fields(_ values: [(String, String)]) throws -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in values { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
        return fields
    }

    private func resolver(_ blocks: String...) throws -> ClientAddressResolver {
        ClientAddressResolver(trusted: try blocks.map { try #require(AddressBlock($0)) })
    }

    @Test("Uses the peer's address if no proxy is trusted, regardless of headers")
    func nobodyTrusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=192.0.2.8")])
        #expect(try resolver().client(peer: stranger, headers: headers) == stranger)
    }

    @Test("Uses the address that the trusted proxy saw, at the right end of the list")
    func trusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, 192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test("Skips trusted proxies in the list, up to the first untrusted address")
    func chains() throws {
        let headers = try fields([
            ("X-Forwarded-For", "192.0.2.66, 192.0.2.7, 10.9.9.9"), ("X-Forwarded-For", "10.0.0.2"),
        ])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test(
        "Pitfall 11: other spellings and other headers have no effect",
        arguments: [
            "X_Forwarded_For", "X-Real-IP", "X-Client-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP",
            "X-Forwarded-For-Original",
        ])
    func spellings(name: String) throws {
        let headers = try fields([(name, "192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }

    @Test("Stops at text that is not an address", arguments: ["unknown", "", "192.0.2.7:80", "1.2.3.4.5", "-"])
    func nonsense(text: String) throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, \(text)")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }

    @Test("One client behind an unlisted local proxy does not lock out the others")
    func unlistedProxy() async throws {
        let clients = try resolver()
        let limiter = LoginThrottle()
        let timestamp = ManualClock().wall.elapsed
        func attempt(_ reader: String, from address: String) throws -> LoginAttempt {
            let client = clients.client(
                peer: ClientAddress("127.0.0.1"), headers: try fields([("X-Forwarded-For", address)]))
            return LoginAttempt(
                identifier: Array(reader.utf8), claim: Array("\(reader)/password".utf8), deviceDigest: nil,
                client: client)
        }
        for number in 0..<1_000 {
            let tryLogin = try attempt("made up \(number)", from: "203.0.113.9")
            if case .proceed(let permit) = await limiter.admit(tryLogin, at: timestamp, isKnownDevice: { false }) {
                await limiter.settle(permit, as: .wrong, at: timestamp)
            }
        }
        let reader = await limiter.admit(
            try attempt("reader", from: "198.51.100.7"), at: timestamp, isKnownDevice: { false })
        guard case .proceed = reader else {
            Issue.record("a reader was locked out: \(reader)")
            return
        }
    }

    @Test("Marks an unlisted proxy of a private network, but no peer in the internet, and trusts neither")
    func unlistedPeers() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.7")])
        for (text, isLocal) in [
            ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("10.0.0.1", true), ("172.31.0.1", true),
            ("192.168.1.1", true), ("fd00::1", true), ("fe80::1", true), ("203.0.113.9", false), ("172.32.0.1", false),
            ("2001:db8::1", false),
        ] {
            let peer = try #require(ClientAddress(text))
            let client = try #require(try resolver().client(peer: peer, headers: headers))
            #expect(client.isUnlistedProxy == isLocal, "\(text)")
            #expect(client.bytes == peer.bytes && client.description == peer.description)
            #expect(try resolver().client(peer: peer, headers: try fields([])) == peer)
        }
    }

    @Test("Pitfall 11: an internet client that forges the header keeps its own limit")
    func forgedByStranger() async throws {
        let clients = try resolver()
        let limiter = LoginThrottle()
        var through = 0
        for number in 0..<300 {
            let client = clients.client(
                peer: stranger, headers: try fields([("X-Forwarded-For", "198.51.100.\(number % 250)")]))
            let tryLogin = LoginAttempt(
                identifier: Array("made up \(number)".utf8), claim: Array("\(number)".utf8), deviceDigest: nil,
                client: client)
            let verdict = await limiter.admit(tryLogin, at: 0, isKnownDevice: { false })
            guard case .proceed(let permit) = verdict else { continue }
            through += 1
            await limiter.settle(permit, as: .wrong, at: 0)
        }
        #expect(through == 100)
    }
}
