import Gatefold

/// Which requests are worked on: so many in total, of each client address, and of each connection.
///
/// A request counts until its work has ended, also where its stream was reset long before: what a client began and gave up
/// costs as much as what it waits for.
struct RequestAdmission {
    enum Refusal: Equatable {
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
        byAddress = AddressCounts(most: limits.requestsPerAddress)
    }

    /// - Parameters:
    ///   - connection: that the request came by.
    ///   - address: nil where it is not counted.
    /// - Returns: nil where the request is admitted; it then has to leave.
    mutating func enter(_ connection: ObjectIdentifier, _ address: ClientAddress?) -> Refusal? {
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
