import ArgumentParser
import Gatefold
import Server

struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "List, drain and remove the servers that share a state in PostgreSQL.",
        subcommands: [NodesListCommand.self, NodesDrainCommand.self, NodesRemoveCommand.self])
}

struct NodesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the nodes.",
        discussion: """
            Prints one line per node, separated by tabs: name, version, status, seconds since its last heartbeat, \
            seconds since it last had all revocations, and its concurrent calls by backend. A node that stops by itself \
            disappears.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let nodes = try await NodeLine.all(in: configuration.read().sharedStateStore(noNodes))
        try output.print(nodes, text: nodes.map(\.text).joined(separator: "\n"))
    }
}

struct NodesDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain", abstract: "Take a node out of service without stopping it.",
        discussion: """
            Within two seconds the node answers /readyz with 503, so that the load balancer sends it no new requests. It \
            serves those that arrive nevertheless. A restart of the node ends the draining.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The name of the node.")
    var node: String

    @Flag(help: "Take the node into service again.")
    var undo = false

    func run() async throws {
        let read = try configuration.read()
        let store = try read.sharedStateStore(noNodes)
        let found = try await audit.trail(read, in: store).perform(
            undo ? .nodeServe : .nodeDrain, of: [.node(node)],
            outcome: { (found: Bool) -> AuditDetails.Pairs in [("found", found ? "yes" : "no")] }
        ) { try await store.setDraining(!undo, ofNode: node) }
        guard found else { throw CommandFailure.noNode(node) }
        print(undo ? "\(node) is in service again." : "\(node) is draining.")
    }
}

struct NodesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a node that will not return.",
        discussion: """
            The other nodes leave a lost node one call of each backend for an hour, because it may still run. Remove it if \
            you know that it does not.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The name of the node.")
    var node: String

    func run() async throws {
        let read = try configuration.read()
        let store = try read.sharedStateStore(noNodes)
        let named = try await store.nodes().filter { $0.node.name == node }
        if named.isEmpty { throw CommandFailure.noNode(node) }
        try await audit.trail(read, in: store).perform(.nodeRemove, of: [.node(node)]) {
            for report in named { try await store.removeNode(report) }
        }
        print("\(node) is removed.")
    }
}

/// What to know about nodes of a state in a file.
private let noNodes = "Several nodes need a state in PostgreSQL"

extension CommandFailure {
    fileprivate static func noNode(_ name: String) -> CommandFailure {
        CommandFailure(.noInput, "there is no node `\(name)`; `gatefold nodes list` shows them")
    }
}
