import ArgumentParser
import Backends
import CSV
import Foundation

struct SubscribersExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all subscribers to a file that `import` reads.",
        discussion: """
            The file contains password hashes and is readable only by its owner. Cells that a spreadsheet would \
            execute are escaped, and `import` reverses that.
            """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The file to create; - writes to standard output.", completion: .file())
    var file: String

    @Option(help: "The name of the identifier's column.")
    var identifierColumn = "identifier"

    func run() async throws {
        let opened = try await database.open().database
        if file == "-" {
            try await opened.export(identifierColumn: identifierColumn) { bytes in
                try FileHandle.standardOutput.write(contentsOf: Data(bytes))
            }
            return
        }
        let descriptor = Foundation.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it already exists" : String(cString: strerror(errno))
            throw CommandFailure(.cannotCreate, "\(file) was not written: \(reason)")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let count = try await opened.export(identifierColumn: identifierColumn) { bytes in
            try handle.write(contentsOf: Data(bytes))
        }
        try handle.synchronize()
        FileHandle.standardError.write(Data("\(count) subscribers written to \(file)\n".utf8))
    }
}
