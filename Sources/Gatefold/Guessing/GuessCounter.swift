/// What attempts are counted against.
enum GuessCounter: Hashable, Sendable {
    /// All that a reader's identifier looks like, see ``LookAlikeSkeleton``. An attempt may have several of these.
    case reader([UInt8])
    /// The subscriber that the backend found, whatever was typed.
    case subscriber(SubscriberReference)
    case address(ClientAddress)
    case wideBlock(ClientAddress)
    /// Everybody behind a proxy that is not listed as one.
    case proxy(ClientAddress)
    /// A device known as a reader's.
    case device([UInt8])
    /// A reader at an address from which they signed in lately.
    case place(GuessPlace)

    enum Kind: Int, CaseIterable {
        case reader, subscriber, address, wideBlock, proxy, device, place
    }

    var kind: Kind {
        switch self {
        case .reader: .reader
        case .subscriber: .subscriber
        case .address: .address
        case .wideBlock: .wideBlock
        case .proxy: .proxy
        case .device: .device
        case .place: .place
        }
    }
}

/// An identifier as it was typed, and an address: what is allowed here is allowed to whoever signed in under it, so no
/// spelling stands for another.
struct GuessPlace: Hashable, Sendable {
    let identifier: [UInt8]
    let address: ClientAddress
}
