import AdminAPI
import Gatefold
import HTTPTypes
import JSON
import State

extension AdminOperations {
    static let nodes: [Operation] = [
        Operation(
            "listNodes", .get, "/nodes", role: .viewer, reach: .everything,
            summary: "List the nodes that share the state",
            description: "A state of one machine has none.",
            success: .page(
                of: .object([
                    AdminProperty("name", AdminSchemas.text, "The name of the node."),
                    AdminProperty("version", AdminSchemas.text, "The version of the program."),
                    AdminProperty("started", .timestamp, "The start of the process."),
                    AdminProperty("heard", .timestamp, "The last report of the node."),
                    AdminProperty(
                        "seconds_behind", .nullable(.number), "The seconds since the node last had all revocations."),
                    AdminProperty("draining", .boolean, "Whether the node takes no new readers."),
                ]), "A page of nodes by name.")
        ) { services, call in
            let reports = try await services.state.nodes()
            return try call.page.page(ofAll: reports, by: { $0.node.name }) { report in
                [
                    "name": .string(report.node.name), "version": .string(report.node.version),
                    "started": .time(report.node.started), "heard": .time(report.heard),
                    "seconds_behind": .number(report.behind), "draining": .boolean(report.isDraining),
                ]
            }
        }
    ]
}
