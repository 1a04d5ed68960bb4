import ArgumentParser
import Backends
import CSV
import Foundation
import Gatefold

struct SubscribersExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all subscribers to a file that `import` reads.",
        discussion: """
            The file contains password hashes and is readable only by its owner. Cells that a spreadsheet would \
            execute are escaped, and `import` reverses that.
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The file to create; - writes to standard output.", completion: .file())
    var file: String

    @Option(help: "The name of the identifier's column.")
    var identifierColumn = "identifier"

    func run() async throws {
        let selected = try await database.open()
        try await audit.trail(selected.configuration).record(
            .subscriberExport, of: [.backend(selected.kind.backend)])
        let opened = selected.database
        if file == "-" {
            try await opened.export(identifierColumn: identifierColumn) { bytes in
                try FileHandle.standardOutput.write(contentsOf: Data(bytes))
            }
            return
        }
        let handle = try PrivateOutput.create(file)
        let count = try await opened.export(identifierColumn: identifierColumn) { bytes in
            try handle.write(contentsOf: Data(bytes))
        }
        try handle.synchronize()
        FileHandle.standardError.write(Data("\(count) subscribers written to \(file)\n".utf8))
    }
}
