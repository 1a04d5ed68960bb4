import Foundation
import OutgoingRequests
package import SQLAccess
import Settings
package import State

/// The database of the state.
package enum StateLocation: Sendable {
    /// The embedded kind: a file of this machine.
    case sqlite(path: String)
    /// A database that several nodes share.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files that this node keeps for itself.
    ///   - nodeURL: The URL at which the other nodes reach the admin listener of this node; nil if they do not.
    case postgreSQL(PostgreSQLSettings, schema: PostgreSQLSchemaName, folder: String, nodeURL: String?)

    private enum Kind: String, CaseIterable {
        case sqlite, postgresql
    }

    init(_ section: SettingsSection) throws(SettingsError) {
        let kind: Kind = try section.choice("kind", default: .sqlite)
        switch kind {
        case .sqlite:
            guard let path = try section.filePath("path") else {
                throw section.error("path", expected: "missing; expected the path of the state database")
            }
            self = .sqlite(path: path)
        case .postgresql:
            let name = try section.string("schema", default: "gatefold")
            guard let schema = PostgreSQLSchemaName(name) else {
                throw section.error(
                    "schema", expected: "expected up to 63 lower-case letters, digits and underscores, found `\(name)`")
            }
            guard let folder = try section.filePath("folder") else {
                throw section.error("folder", expected: "missing; expected a folder for the files of this node")
            }
            let nodeURL = try section.string("node_url")
            if let nodeURL, !Self.isOrigin(nodeURL) {
                throw section.error(
                    "node_url", expected: "expected http://HOST:PORT or https://HOST:PORT, found `\(nodeURL)`")
            }
            self = .postgreSQL(
                try PostgreSQLSettings(section, for: .state), schema: schema, folder: folder, nodeURL: nodeURL)
        }
    }

    /// The URL at which the other nodes reach the admin listener of this node; nil if they do not.
    package var nodeURL: String? {
        if case .postgreSQL(_, _, _, let url) = self { url } else { nil }
    }

    /// Returns whether a text is a URL without a path.
    private static func isOrigin(_ text: String) -> Bool {
        guard let url = ServiceURL(text) else { return false }
        return url.target == "/" && !text.hasSuffix("/")
    }

    /// The folder of the files that this server keeps for itself.
    package var folder: String {
        switch self {
        case .sqlite(let path): URL(fileURLWithPath: path).deletingLastPathComponent().path
        case .postgreSQL(_, _, let folder, _): folder
        }
    }

    /// The name of the database in logs and errors.
    package var name: String {
        switch self {
        case .sqlite(let path): path
        case .postgreSQL(_, let schema, _, _): "in PostgreSQL, schema \(schema.name)"
        }
    }
}
