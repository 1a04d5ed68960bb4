/// The version of the program, as `gatefold --version` prints it.
public enum ServerSoftware {
    public static let version = "0.1.0"
}
