public import Foundation

/// The servers that share a state, as each of them last reported itself.
public protocol NodeStore: Sendable {
    /// Reports a node and returns all nodes of the state, including this one.
    ///
    /// Heartbeats of all nodes run one after another, so that the nodes divide a limit and never exceed it together.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - behind: The number of seconds since the node last had all revocations.
    ///   - claim: Returns the numbers of concurrent calls that the node may make from now on, by backend. Receives the
    ///     other nodes. It may be called several times.
    func heartbeat(
        _ node: NodeIdentity, behind: TimeInterval,
        claim: @escaping @Sendable (_ others: [NodeReport]) -> [String: Int]
    ) async throws -> [NodeReport]

    /// Returns the nodes, ordered by name.
    func nodes() async throws -> [NodeReport]

    /// Sets whether a node takes new readers, which the node learns with its next heartbeat.
    ///
    /// - Returns: False if there is no such node.
    func setDraining(_ isDraining: Bool, ofNode name: String) async throws -> Bool

    /// Deletes a node, unless it has reported itself since. A node that still runs appears again.
    func removeNode(_ report: NodeReport) async throws
}

/// What does not change while a node runs.
public struct NodeIdentity: Sendable, Equatable {
    /// Bytes that are unique to the node and survive its restart.
    public let id: [UInt8]
    /// The name for operators.
    public let name: String
    public let version: String
    /// The start of the process.
    public let started: Date
    /// The URL at which the other nodes reach the node's admin listener; nil if they do not.
    public let url: String?

    /// - Parameters:
    ///   - id: Bytes that are unique to the node and survive its restart.
    ///   - name: The name for operators.
    ///   - version: The version of the program.
    ///   - started: The start of the process.
    ///   - url: The URL at which the other nodes reach the node's admin listener; nil if they do not.
    public init(id: [UInt8], name: String, version: String, started: Date, url: String? = nil) {
        self.id = id
        self.name = name
        self.version = version
        self.started = started
        self.url = url
    }

    /// Returns whether both are the same process of the same node. A start loses its last digits in a row.
    package func isProcess(_ other: NodeIdentity) -> Bool {
        id == other.id && abs(started.timeIntervalSince(other.started)) < 0.001
    }
}

/// A node with its last report.
public struct NodeReport: Sendable, Equatable {
    public let node: NodeIdentity
    /// The time of the last heartbeat by the store's clock.
    public let heard: Date
    /// The number of seconds since the node last had all revocations, at its last heartbeat.
    public let behind: TimeInterval
    /// A Boolean value that indicates whether an operator drains the node.
    public let isDraining: Bool
    /// The number of concurrent calls that the node may make, by backend.
    public let slots: [String: Int]
    /// A Boolean value that indicates whether `slots` is empty because it is unreadable. The node may then make any calls that
    /// the others do not claim.
    public let hasUnknownSlots: Bool

    public init(
        node: NodeIdentity, heard: Date, behind: TimeInterval, isDraining: Bool, slots: [String: Int],
        hasUnknownSlots: Bool = false
    ) {
        self.node = node
        self.heard = heard
        self.behind = behind
        self.isDraining = isDraining
        self.slots = slots
        self.hasUnknownSlots = hasUnknownSlots
    }
}
