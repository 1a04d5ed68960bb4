import Gatefold
import TestSupport
import Testing

@Suite("Client address")
struct ClientAddressTests {
    @Test(
        "Parses the numeric format, and an IPv4-mapped address as IPv4",
        arguments: [
            ("192.0.2.1", "192.0.2.1"), ("2001:DB8::1", "2001:db8::1"), ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::", "::"), ("::1", "::1"),
        ])
    func parsed(_ text: String, _ expected: String) {
        #expect(ClientAddress(text)?.description == expected)
    }

    @Test(
        "Rejects any other text",
        arguments: [
            "", "localhost", "192.0.2.1:80", "[::1]", "192.0.2", "192.0.2.256", "192.0.2.1 ", "fe80::1%eth0",
            "192.0.2.1\u{0}x", "::1\u{0}", "1.2.3.4, 5.6.7.8",
        ])
    func rejected(_ text: String) {
        #expect(ClientAddress(text) == nil)
    }

    @Test("Computes prefixes of a given length")
    func prefixes() {
        #expect(ClientAddress("192.0.2.255")?.prefix(bits: 25).description == "192.0.2.128")
        #expect(ClientAddress("2001:db8:1:2:3::4")?.prefix(bits: 64).description == "2001:db8:1:2::")
        #expect(ClientAddress("192.0.2.1")?.prefix(bits: 0).description == "0.0.0.0")
        #expect(ClientAddress("192.0.2.1")?.prefix(bits: 99).description == "192.0.2.1")
    }

    @Test("Address blocks match the addresses within them, and invalid blocks are rejected")
    func blocks() throws {
        let ten = try #require(AddressBlock("10.0.0.0/8"))
        #expect(ten.contains(ClientAddress("10.255.0.1")!) && !ten.contains(ClientAddress("11.0.0.1")!))
        #expect(ten.contains(ClientAddress("::ffff:10.1.1.1")!) && !ten.contains(ClientAddress("::")!))
        #expect(AddressBlock("10.1.2.3/8")?.description == "10.0.0.0/8")
        #expect(AddressBlock("::1")?.description == "::1/128")
        let everyone = try #require(AddressBlock("0.0.0.0/0"))
        #expect(everyone.contains(ClientAddress("192.0.2.1")!) && !everyone.contains(ClientAddress("::1")!))
        for text in [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/-0", "10.0.0.0/08",
            "10.0.0.0/8/8", "::/129",
        ] {
            #expect(AddressBlock(text) == nil, "\(text)")
        }
    }

    @Test("Of 10,000 hostile strings, every parsed address round-trips")
    func fuzz() {
        var random = SeededRandom(seed: 30)
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 8, specialCharacters: "0123456789abcdef:::..."), as: UTF8.self)
            if let address = ClientAddress(text) { #expect(ClientAddress(address.description) == address) }
            _ = AddressBlock(text + "/8")
        }
    }
}
