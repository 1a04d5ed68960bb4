import Gatefold
import HTTPTypes
import Server
import TestSupport
import Testing

@Suite("The client's address")
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

    @Test("is the peer's when nobody is trusted, whatever headers say")
    func nobodyTrusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.7"), ("Forwarded", "for=192.0.2.8")])
        #expect(try resolver().client(peer: stranger, headers: headers) == stranger)
    }

    @Test("is what the trusted proxy saw: the right end of the list")
    func trusted() throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, 192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test("passes over trusted proxies in the list, up to the first stranger")
    func chains() throws {
        let headers = try fields([
            ("X-Forwarded-For", "192.0.2.66, 192.0.2.7, 10.9.9.9"), ("X-Forwarded-For", "10.0.0.2"),
        ])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == ClientAddress("192.0.2.7"))
    }

    @Test(
        "Pitfall 11: other spellings and other headers change nothing",
        arguments: [
            "X_Forwarded_For", "X-Real-IP", "X-Client-IP", "Forwarded", "True-Client-IP", "CF-Connecting-IP",
            "X-Forwarded-For-Original",
        ])
    func spellings(name: String) throws {
        let headers = try fields([(name, "192.0.2.7")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }

    @Test("stops at what is no address", arguments: ["unknown", "", "192.0.2.7:80", "1.2.3.4.5", "-"])
    func nonsense(text: String) throws {
        let headers = try fields([("X-Forwarded-For", "192.0.2.66, \(text)")])
        #expect(try resolver("10.0.0.0/8").client(peer: proxy, headers: headers) == proxy)
    }

    @Test("a proxy on this machine that nobody listed does not let one client lock all others out")
    func unlistedProxy() async throws {
        let clients = try resolver()
        let limiter = GuessLimiter()
        let moment = ManualClock().wall.elapsed
        func attempt(_ reader: String, from address: String) throws -> GuessAttempt {
            let client = clients.client(
                peer: ClientAddress("127.0.0.1"), headers: try fields([("X-Forwarded-For", address)]))
            return GuessAttempt(
                identifier: Array(reader.utf8), claim: Array("\(reader)/password".utf8), acquaintance: nil,
                client: client)
        }
        for number in 0..<1_000 {
            let guess = try attempt("made up \(number)", from: "203.0.113.9")
            if case .proceed(let ticket) = await limiter.admit(guess, at: moment, isAcquainted: { false }) {
                limiter.settle(ticket, as: .wrong, at: moment)
            }
        }
        let reader = await limiter.admit(
            try attempt("reader", from: "198.51.100.7"), at: moment, isAcquainted: { false })
        guard case .proceed = reader else {
            Issue.record("a reader was locked out: \(reader)")
            return
        }
    }

    @Test("marks a proxy of our own network that is not listed, and no peer in the internet, and believes neither")
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

    @Test("Pitfall 11: a client in the internet that forges the header has its own limit all the same")
    func forgedByStranger() async throws {
        let clients = try resolver()
        let limiter = GuessLimiter()
        var through = 0
        for number in 0..<300 {
            let client = clients.client(
                peer: stranger, headers: try fields([("X-Forwarded-For", "198.51.100.\(number % 250)")]))
            let guess = GuessAttempt(
                identifier: Array("made up \(number)".utf8), claim: Array("\(number)".utf8), acquaintance: nil,
                client: client)
            let verdict = await limiter.admit(guess, at: 0, isAcquainted: { false })
            guard case .proceed(let ticket) = verdict else { continue }
            through += 1
            limiter.settle(ticket, as: .wrong, at: 0)
        }
        #expect(through == 100)
    }
}
