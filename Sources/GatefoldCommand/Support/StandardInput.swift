/// Arguments that should not stand in the list of processes are read from standard input instead.
enum StandardInput {
    /// The argument itself, or the first line of standard input when it is `-`.
    static func argument(_ text: String) throws -> String {
        guard text == "-" else { return text }
        guard let line = readLine() else { throw CommandFailure(.noInput, "expected a line on standard input") }
        return line
    }
}
