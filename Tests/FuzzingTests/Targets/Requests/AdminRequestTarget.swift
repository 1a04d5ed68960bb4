import Foundation
import Gatefold
import HTTPTypes
import JSON
import Primitives

@testable import AdminAPI
@testable import Server

extension FuzzTarget {
    private static let adminKey = PseudonymKey(Secret("Vv8xO3wS9uZy5nAq-fuzzing"))

    /// Three lines: the path and the query of a request of the admin API, and its body or a secret text.
    static let adminRequest = FuzzTarget(
        "admin-request", upTo: 1024, of: "AdminQuery", "AdminPage", "AdminSchema+Validation", "AdminToken",
        "AdminTokenRecord", "LocalOperatorPass", "IdempotencyKey", "ReaderHandle",
        "StrictPercentEncoding", "DeliveryHandle", "AdminAPIEndpoint", "AuditSubject"
    ) { bytes in
        let lines = lines(bytes, 3)
        for operation in AdminOperations.all {
            if let path = operation.path.match(path: lines[0][...]) {
                promise(Set(path.keys) == Set(operation.path.parameters), "a parameter of a path is missing")
                promise(path.values.allSatisfy { !$0.isEmpty }, "a parameter of a path is empty")
            }
            let parameters = operation.query + (operation.success.isPage ? AdminPage.parameters : [])
            if let query = try? AdminQuery.read(lines[1], parameters) {
                for (name, value) in query {
                    let parameter = parameters.first { $0.name == name }
                    promise(parameter?.schema.faults(of: value).isEmpty == true, "a parameter is not as declared")
                }
            }
            if let body = operation.body, let value = try? JSONParser.parse(Array(lines[2].utf8)) {
                let faults = body.schema.faults(of: value)
                promise(faults.count <= 20, "a problem lists too much")
                let names = Set(body.properties.map(\.name))
                let isKnown = value.members?.allSatisfy { names.contains($0.name) } ?? false
                promise(!faults.isEmpty || isKnown, "an unknown member is accepted")
            }
        }
        let text = lines[2]
        _ = try? AdminPage.Request(limit: nil, cursor: text, list: ["fuzz"], key: adminKey)
        promise(ReaderHandle.open(text, key: adminKey) == nil, "a handle is accepted that nobody sealed")
        if let daily = PublicationID("daily") {
            promise(
                DeliveryHandle.open(text, in: daily, key: adminKey) == nil, "a handle is accepted that nobody sealed")
        }
        let host = AdminAPIEndpoint.host(of: text + ":8081")
        promise(text.hasPrefix("[") || !host.contains(":"), "a host has its port")
        if let subject = AuditSubject(person: text) { promise(subject.description == text, "a subject changes") }
        promise(
            LocalOperatorPass.open(text, for: lines[0], key: adminKey, at: Date(timeIntervalSince1970: 0)) == nil,
            "a pass is accepted that nobody sealed")
        if let token = AdminToken(text) { promise(token.text == text, "a token has two spellings") }
        if let name = AdminTokenName(text) { promise(name.description == text, "a name changes") }
        if let key = IdempotencyKey(text) { promise(key.text == text && text.utf8.count <= 128, "a key changes") }
    }
}
