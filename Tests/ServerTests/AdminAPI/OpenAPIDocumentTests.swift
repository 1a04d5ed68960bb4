import Foundation
import Gatefold
import HTTPTypes
import JSON
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Description of the admin API") struct OpenAPIDocumentTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures/OpenAPI/admin-v1.json").standardizedFileURL

    @Test("The file in the repository is what the table of operations describes")
    func file() throws {
        let text = OpenAPIDocument.make(AdminOperations.all).indented
        if ProcessInfo.processInfo.environment["GATEFOLD_WRITE_OPENAPI"] != nil {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: Self.file, encoding: .utf8) == text,
            "write it again with GATEFOLD_WRITE_OPENAPI=1 swift test --filter OpenAPIDocumentTests")
    }

    @Test("Each operation has its own name, role and path parameters")
    func operations() throws {
        let document = OpenAPIDocument.make(AdminOperations.all)
        #expect(Set(AdminOperations.all.map(\.id)).count == AdminOperations.all.count)
        for operation in AdminOperations.all {
            let described = try #require(
                document["paths"]?[operation.path.description]?[operation.method.rawValue.lowercased()])
            #expect(described["x-gatefold-role"]?.text == operation.role.rawValue)
            let parameters = described["parameters"]?.items ?? []
            let path = parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.text }
            #expect(Set(path) == Set(operation.path.parameters), "\(operation.id)")
            #expect(operation.reach == .publication || !path.contains("publication"))
            if let body = operation.body { #expect(body.schema.faults(of: body.example).isEmpty, "\(operation.id)") }
            #expect(!operation.isChange || operation.audits != nil, "\(operation.id) changes without an audit entry")
        }
    }
}
