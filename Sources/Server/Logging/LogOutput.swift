import Foundation
import Synchronization

/// The output of log lines. If the disk is full or the reader has closed its end, lines are lost, but the server
/// continues.
///
/// If a reader keeps its end open and stops reading, writing blocks as soon as the system's buffer is full.
final class LogOutput: Sendable {
    private struct State {
        var lost = 0
        /// A Boolean value that indicates whether a line was written in part. The next one then starts on a new
        /// line.
        var isBroken = false
    }

    private let descriptor: Int32
    private let state = Mutex(State())

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes the line in one piece, so that lines of several threads do not mix.
    ///
    /// - Parameter lossReport: Returns the line that reports the number of lines lost before this one.
    func write(_ line: String, lossReport: (_ lost: Int) -> String) {
        state.withLock { state in
            let before = (state.isBroken ? "\n" : "") + (state.lost > 0 ? lossReport(state.lost) : "")
            if !before.isEmpty {
                let outcome = writeAll(before)
                guard outcome == .complete else {
                    if outcome == .part { state.isBroken = true }
                    state.lost += 1
                    return
                }
                state = State()
            }
            switch writeAll(line) {
            case .complete: break
            case .part:
                state.isBroken = true
                state.lost += 1
            case .nothing: state.lost += 1
            }
        }
    }

    private enum Outcome {
        case complete, part, nothing
    }

    private func writeAll(_ text: String) -> Outcome {
        var text = text
        return text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Foundation.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[written...]).baseAddress,
                    bytes.count - written)
                if count > 0 {
                    written += count
                } else if count == 0 || errno != EINTR {
                    return written == 0 ? .nothing : .part
                }
            }
            return .complete
        }
    }
}
