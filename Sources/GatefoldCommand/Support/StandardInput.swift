/// A reader of arguments from standard input, for values that should not appear in the process list.
enum StandardInput {
    /// Returns the argument itself, or the first line of standard input if the argument is `-`.
    static func argument(_ text: String) throws -> String {
        guard text == "-" else { return text }
        guard let line = readLine() else { throw CommandFailure(.noInput, "expected a line on standard input") }
        return line
    }
}
