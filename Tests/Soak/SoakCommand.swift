import ArgumentParser
import Dispatch
import Foundation

/// Runs many readers of several publications through a subscriber system's faults and checks every response.
@main
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatefold-soak",
        abstract:
            "Runs readers against a failing subscriber system and checks each response to Pugpig apps with a model.",
        discussion: """
            Starts PostgreSQL with a publisher's tables, the gatefold program from the same folder in front of it, and readers \
            on the loopback interface. Every few seconds the system stops, hangs, fails, sends garbage, resets connections or \
            is slow. Meanwhile subscriptions change, sessions are revoked, the configuration is reloaded, and caches are \
            flushed. A response is correct if some state of the system during the request allows it. At the first incorrect \
            response the soak prints that reader's history and exits with status 1.

            The readers call Pugpig's sign_in, renew_token, sign_out, verify_subscription and edition_credentials by GET and \
            POST, with forms and JSON, with fields in query and body, with and without a publication and a trailing slash. \
            They also send HEAD, OPTIONS and unsupported methods, fetch the feed of editions with its credentials, download \
            from the file server and through the auth-request endpoint, and read the shelves of Baker and Basispress. The \
            cache headers of each response are checked. The front doors of InPlayer and Cloud Softphone, linking, store \
            receipts, purchases and accounts are not covered.

            The first round takes a little more than a minute and is the same in every soak: each call in each variant, each \
            kind of fault, and the expiry of tokens, sessions and credentials. The soak fails if any of this did not happen. \
            The rounds after it are random.
            """)

    @Option(help: "The duration; a soak always completes the first round.")
    var minutes = 10.0

    @Option(help: "The number of readers, 1 to 500. Each has two apps that call concurrently.")
    var readers = 24

    @Option(help: "The average pause of an app between two calls, in milliseconds.")
    var pause = 150

    @Option(help: "The seed of the faults and calls. Their timing still depends on the machine.")
    var seed: UInt64 = .random(in: 1...999_999)

    func validate() throws {
        guard minutes > 0, (1...500).contains(readers), pause >= 0 else {
            throw ValidationError("expected --minutes above 0, --readers from 1 to 500 and --pause of 0 or more")
        }
    }

    func run() async throws {
        let plan = SoakPlan(
            duration: .seconds(minutes * 60), readers: readers, pause: .milliseconds(pause), seed: seed)
        let finished = try await withThrowingTaskGroup(of: SoakReport?.self) { group in
            group.addTask { try await Soak.run(plan) { FileHandle.standardError.write(Data("\($0)\n".utf8)) } }
            group.addTask {
                await Self.endRequested()
                return nil
            }
            let first: SoakReport? = try await group.next() ?? nil
            // Ends the remaining task: on SIGTERM a soak still stops its servers and removes its folders.
            group.cancelAll()
            return first
        }
        guard let report = finished else { throw ExitCode(128 + SIGTERM) }
        print(report.text)
        if !report.isCorrect { throw ExitCode(1) }
    }

    /// Waits for SIGTERM.
    private static func endRequested() async {
        let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
        source.setEventHandler { continuation.yield() }
        source.resume()
        for await _ in requests { break }
        source.cancel()
    }
}
