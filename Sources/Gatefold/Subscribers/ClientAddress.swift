import Foundation

/// The address of the client, without its port.
public struct ClientAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the address: 4 for IPv4, 16 for IPv6. An IPv4 address mapped into IPv6 is stored as IPv4.
    public let bytes: [UInt8]
    /// A Boolean value that indicates whether the address belongs to a proxy in our own network that is not listed
    /// as trusted. Any number of clients may then share the address.
    public private(set) var isUnlistedProxy = false

    /// Parses a numeric address. The result is nil for any other text, such as a host name or an address with a
    /// port.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        // C text ends at its first zero byte.
        guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
            return
        }
        var sixteen = in6_addr()
        guard inet_pton(AF_INET6, text, &sixteen) == 1 else { return nil }
        let all = withUnsafeBytes(of: &sixteen) { Array($0) }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        bytes = all.starts(with: mapped) ? Array(all[12...]) : all
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    public var isIPv6: Bool { bytes.count == 16 }

    /// The same address, marked as the address of a proxy that is not listed.
    public var asUnlistedProxy: ClientAddress {
        var address = self
        address.isUnlistedProxy = true
        return address
    }

    /// A Boolean value that indicates whether the address is a loopback address (127.0.0.0/8, ::1), or is not
    /// routed on the internet: private (RFC 1918, RFC 4193) or link-local (RFC 3927, RFC 4291).
    public var isLocal: Bool { Self.local.contains { $0.contains(self) } }

    private static let local = [
        "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "::1", "fc00::/7",
        "fe80::/10",
    ].compactMap { AddressBlock($0) }

    /// Returns the address with all but its first `bits` bits cleared.
    public func prefix(bits: Int) -> ClientAddress {
        ClientAddress(
            bytes: bytes.enumerated().map { index, byte in
                let prefixBits = min(8, max(0, bits - index * 8))
                return prefixBits == 8 ? byte : byte & ~(0xFF >> UInt8(prefixBits))
            })
    }

    public var description: String {
        if !isIPv6 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        return bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress,
                inet_ntop(AF_INET6, base, &text, socklen_t(text.count)) != nil
            else { return "" }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}

/// A block of addresses, such as `10.0.0.0/8`, `2001:db8::/32` or a single address.
public struct AddressBlock: Hashable, Sendable, CustomStringConvertible {
    public let base: ClientAddress
    public let bits: Int

    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = parts.first.flatMap({ ClientAddress($0) }) else { return nil }
        let width = address.bytes.count * 8
        var bits = width
        if parts.count == 2 {
            guard let written = UInt8(parts[1]).map(Int.init), String(written) == parts[1], written <= width else {
                return nil
            }
            bits = written
        }
        self.bits = bits
        base = address.prefix(bits: bits)
    }

    public func contains(_ address: ClientAddress) -> Bool {
        address.bytes.count == base.bytes.count && address.prefix(bits: bits) == base
    }

    public var description: String { "\(base)/\(bits)" }
}
