import ArgumentParser
import Backends
import CSV
import Foundation

struct SubscribersExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write all subscribers as a file that import reads.",
        discussion: """
            Password hashes are in it: the file made is readable by its owner only. Cells that a spreadsheet would run \
            are neutralised, and import undoes that.
            """)

    @OptionGroup var database: DatabaseOptions

    @Argument(help: "The file to make; - writes to standard output.", completion: .file())
    var file: String

    @Option(help: "What to call the identifier's column.")
    var identifierColumn = "identifier"

    func run() async throws {
        let opened = try database.open().database
        if file == "-" {
            try await opened.export(identifierColumn: identifierColumn) { bytes in
                try FileHandle.standardOutput.write(contentsOf: Data(bytes))
            }
            return
        }
        let descriptor = Foundation.open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it exists already" : String(cString: strerror(errno))
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
