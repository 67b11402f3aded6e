import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.etch.bindings.java.msg.*;
import org.apache.etch.bindings.java.support.*;
import org.apache.etch.bindings.java.transport.fmt.binary.*;
import org.apache.etch.util.FlexBuffer;

/**
 * Writes random messages of testdata/schemas/shop.etch by Etch's own classes, and reads messages.
 *
 * <p>{@code Judge write HASHES STRINGS COUNT SEED} writes the same messages to two files, with names as hashes and as strings.
 * {@code Judge read FROM TO} reads messages and writes them again, with names as hashes. Each message has its length before it, in four
 * bytes.
 */
public class Judge {
    static final String SERVICE = "examples.shop.Shop.";
    static final TypeMap TYPES = new TypeMap();
    static final Class2TypeMap CLASSES = new Class2TypeMap();

    /** A value with fields, of a type for each class. */
    public static class Fields {
        final Map<String, Object> values = new LinkedHashMap<>();
    }

    public static class Item extends Fields {}

    public static class Book extends Item {}

    public static class Box extends Fields {}

    public static class State extends Fields {}

    public static class Blob extends Fields {}

    public static class Missing extends Fields {}

    public static class Sold extends Missing {}

    static Type type(String name, Object... fields) {
        Type type = TYPES.get(SERVICE + name);
        for (int n = 0; n < fields.length; n += 2) type.putValidator(new Field((String) fields[n]), (Validator) fields[n + 1]);
        return type;
    }

    static void structure(Class<? extends Fields> of, Type above, Object... fields) {
        Type type = type(of.getSimpleName(), fields);
        CLASSES.put(of, type);
        type.setComponentType(of);
        if (above != null) type.setSuperType(above);
        type.setImportExportHelper(new ImportExportHelper() {
            public StructValue exportValue(ValueFactory factory, Object value) {
                StructValue made = new StructValue(type, factory);
                ((Fields) value).values.forEach((name, inner) -> made.put(new Field(name), inner));
                return made;
            }

            public Object importValue(StructValue value) {
                try {
                    Fields made = of.getDeclaredConstructor().newInstance();
                    for (Map.Entry<Field, Object> each : value) made.values.put(each.getKey().getName(), each.getValue());
                    return made;
                } catch (ReflectiveOperationException error) {
                    throw new IllegalStateException(error);
                }
            }
        });
    }

    static Validator custom(Class<?> of, int dimensions) {
        return Validator_custom.get(of, dimensions, true);
    }

    static void declare() {
        DefaultValueFactory.init(TYPES, CLASSES);
        Validator text = Validator_string.get(0), whole = Validator_int.get(0), wide = Validator_long.get(0);
        Object[] item = {"name", text, "price", wide, "state", custom(State.class, 0), "sizes", Validator_double.get(1)};
        structure(State.class, null, "OPEN", Validator_boolean.get(0), "PAID", Validator_boolean.get(0), "GONE", Validator_boolean.get(0));
        // A schema has no names for the fields of an external type, but this one is another type's too.
        structure(Blob.class, null, "code", whole);
        structure(Item.class, null, item);
        structure(Book.class, TYPES.get(SERVICE + "Item"), "author", text, item[0], item[1], item[2], item[3], item[4], item[5], item[6], item[7]);
        structure(Box.class, null, "items", custom(Item.class, 1), "states", custom(State.class, 2), "seal", Validator_byte.get(1), "weight",
            Validator_float.get(0), "fresh", Validator_boolean.get(0), "notes", custom(List.class, 0));
        structure(Missing.class, null, "why", text, "code", whole);
        structure(Sold.class, TYPES.get(SERVICE + "Missing"), "why", text, "code", whole);
        type("put", "item", custom(Item.class, 0), "labels", custom(Map.class, 0), "since", custom(Date.class, 0), "marks",
            custom(java.util.Set.class, 0), "more", Validator_object.get(0), "_messageId", wide);
        type("get", "name", text, "row", Validator_byte.get(0), "column", Validator_short.get(0), "grid", Validator_int.get(2), "blob",
            custom(Blob.class, 0), "state", custom(State.class, 0), "_messageId", wide);
        type("_result_put", "result", whole, "_messageId", wide, "_inReplyTo", wide);
        type("_result_get", "result", custom(Box.class, 0), "_messageId", wide, "_inReplyTo", wide);
        type("_result_get", "result", custom(Missing.class, 0));
        type("_result_state", "result", custom(State.class, 0), "_messageId", wide, "_inReplyTo", wide);
        type("ping", "_messageId", wide);
    }

    static String text(Random random) {
        return new String[] {"", "a", "größe", "日本", "long text ".repeat(20)}[random.nextInt(5)];
    }

    static State state(Random random) {
        State made = new State();
        made.values.put(new String[] {"OPEN", "PAID", "GONE"}[random.nextInt(3)], true);
        return made;
    }

    static Item item(Random random) {
        Item made = random.nextBoolean() ? new Item() : new Book();
        made.values.put("name", text(random));
        if (random.nextBoolean()) made.values.put("price", random.nextLong() >> random.nextInt(64));
        if (random.nextBoolean()) made.values.put("state", state(random));
        double[] sizes = new double[random.nextInt(4)];
        for (int n = 0; n < sizes.length; n++) sizes[n] = random.nextGaussian();
        if (random.nextBoolean()) made.values.put("sizes", sizes);
        if (made instanceof Book) made.values.put("author", text(random));
        return made;
    }

    static List<Object> list(Random random, int depth) {
        List<Object> made = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) made.add(any(random, depth));
        return made;
    }

    static Map<Object, Object> map(Random random, int depth) {
        Map<Object, Object> made = new HashMap<>();
        for (int n = random.nextInt(4); n > 0; n--) made.put(random.nextBoolean() ? (Object) ("k" + n) : (Object) n, any(random, depth));
        return made;
    }

    /** A set whose order is the same in each run. */
    static HashSet<Object> set(Random random) {
        return new HashSet<>(map(random, 0).keySet());
    }

    /** A value where any is allowed. */
    static Object any(Random random, int depth) {
        switch (random.nextInt(depth == 0 ? 9 : 13)) {
            case 0: return random.nextBoolean();
            case 1: return (byte) random.nextInt();
            case 2: return random.nextInt() >> random.nextInt(32);
            case 3: return random.nextLong() >> random.nextInt(64);
            case 4: return random.nextFloat();
            case 5: return random.nextDouble();
            case 6: return text(random);
            case 7: return new Date(random.nextLong() >> 20);
            case 8: return state(random);
            case 9: return list(random, depth - 1);
            case 10: return map(random, depth - 1);
            case 11: return set(random);
            default: return item(random);
        }
    }

    static Box box(Random random) {
        Box made = new Box();
        Item[] items = new Item[random.nextInt(3)];
        for (int n = 0; n < items.length; n++) items[n] = item(random);
        made.values.put("items", items);
        State[][] states = new State[random.nextInt(3)][];
        for (int n = 0; n < states.length; n++) {
            states[n] = new State[random.nextInt(3)];
            for (int m = 0; m < states[n].length; m++) states[n][m] = state(random);
        }
        if (random.nextBoolean()) made.values.put("states", states);
        byte[] seal = new byte[random.nextInt(200)];
        random.nextBytes(seal);
        if (random.nextBoolean()) made.values.put("seal", seal);
        if (random.nextBoolean()) made.values.put("weight", random.nextFloat());
        made.values.put("fresh", random.nextBoolean());
        if (random.nextBoolean()) made.values.put("notes", list(random, 2));
        return made;
    }

    static Message message(Random random, DefaultValueFactory factory) {
        String name = new String[] {"put", "get", "_result_put", "_result_get", "_result_state", "ping"}[random.nextInt(6)];
        Message made = new Message(TYPES.get(SERVICE + name), factory);
        Map<String, Object> fields = new LinkedHashMap<>();
        switch (name) {
            case "put":
                fields.put("item", item(random));
                fields.put("labels", map(random, 2));
                fields.put("since", new Date(random.nextLong() >> 20));
                fields.put("marks", set(random));
                fields.put("more", any(random, 3));
                break;
            case "get":
                Blob blob = new Blob();
                blob.values.put("code", random.nextInt());
                int[][] grid = new int[random.nextInt(3)][];
                for (int n = 0; n < grid.length; n++) grid[n] = random.ints(random.nextInt(3)).toArray();
                fields.put("name", text(random));
                fields.put("row", (byte) random.nextInt());
                fields.put("column", (short) random.nextInt());
                fields.put("grid", grid);
                fields.put("blob", blob);
                fields.put("state", state(random));
                break;
            case "_result_put": fields.put("result", random.nextInt()); break;
            case "_result_get":
                Fields result = random.nextInt(3) > 0 ? box(random) : random.nextBoolean() ? new Missing() : new Sold();
                if (result instanceof Missing) {
                    result.values.put("why", text(random));
                    result.values.put("code", random.nextInt());
                }
                fields.put("result", result);
                break;
            case "_result_state": fields.put("result", state(random)); break;
            default: break;
        }
        fields.values().removeIf(value -> random.nextInt(5) == 0);
        fields.forEach((field, value) -> made.put(new Field(field), value));
        if (random.nextBoolean()) factory.setMessageId(made, random.nextLong());
        return made;
    }

    static byte[] written(Message message, ValueFactory factory, String uri) throws Exception {
        FlexBuffer buffer = new FlexBuffer();
        new BinaryTaggedDataOutput(factory, uri).writeMessage(message, buffer);
        buffer.setIndex(0);
        byte[] bytes = new byte[buffer.length()];
        buffer.getFully(bytes);
        return bytes;
    }

    static void put(DataOutputStream out, byte[] message) throws Exception {
        out.writeInt(message.length);
        out.write(message);
    }

    public static void main(String[] arguments) throws Exception {
        declare();
        DefaultValueFactory factory = new DefaultValueFactory("tcp:", TYPES, CLASSES);
        factory.setLevel(Validator.Level.FULL);
        if (arguments[0].equals("write")) {
            Random random = new Random(Long.parseLong(arguments[4]));
            try (DataOutputStream hashes = new DataOutputStream(new FileOutputStream(arguments[1]));
                DataOutputStream strings = new DataOutputStream(new FileOutputStream(arguments[2]))) {
                for (int n = Integer.parseInt(arguments[3]); n > 0; n--) {
                    Message message = message(random, factory);
                    put(hashes, written(message, factory, "tcp:"));
                    put(strings, written(message, factory, "tcp:?BinaryTaggedDataOutput.stringTypeAndField=true"));
                }
            }
            return;
        }
        try (DataInputStream in = new DataInputStream(new FileInputStream(arguments[1]));
            DataOutputStream out = new DataOutputStream(new FileOutputStream(arguments[2]))) {
            while (in.available() > 0) {
                byte[] bytes = in.readNBytes(in.readInt());
                Message message = new BinaryTaggedDataInput(factory, "tcp:").readMessage(new FlexBuffer(bytes));
                put(out, written(message, factory, "tcp:"));
            }
        }
    }
}
