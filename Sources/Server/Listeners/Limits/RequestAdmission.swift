import Gatefold

/// The limits on concurrent requests: in total, per client address, and per connection.
///
/// A request counts until its work has ended, even if its stream was reset long before, because abandoned work
/// costs as much as other work.
struct RequestAdmission {
    enum Rejection: Equatable {
        case total
        case address
        case connection
    }

    private let limits: ListenerLimits
    private(set) var total = 0
    private var byAddress: AddressCounts
    private var byConnection: [ObjectIdentifier: Int] = [:]

    init(_ limits: ListenerLimits) {
        self.limits = limits
        byAddress = AddressCounts(limit: limits.requestsPerAddress)
    }

    /// - Parameters:
    ///   - connection: The connection of the request.
    ///   - address: The client address; nil if it is not counted.
    /// - Returns: The limit that rejects the request; nil if the request is admitted, and then ``leave(_:_:)`` must
    ///   be called.
    mutating func enter(_ connection: ObjectIdentifier, _ address: ClientAddress?) -> Rejection? {
        guard total < limits.requests else { return .total }
        let count = byConnection[connection, default: 0]
        guard count < limits.requestsPerConnection else { return .connection }
        if let address, !byAddress.enter(address) { return .address }
        total += 1
        byConnection[connection] = count + 1
        return nil
    }

    mutating func leave(_ connection: ObjectIdentifier, _ address: ClientAddress?) {
        total -= 1
        let count = byConnection[connection, default: 0]
        byConnection[connection] = count > 1 ? count - 1 : nil
        if let address { byAddress.leave(address) }
    }
}
